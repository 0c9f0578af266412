{{ config(materialized='incremental') }} select id, region from {{ ref('regions') }}
