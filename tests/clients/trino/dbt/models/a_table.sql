{{ config(materialized='table') }} select id, region, 1.5 as amount from {{ ref('regions') }}
