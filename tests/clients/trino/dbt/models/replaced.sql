{{ config(materialized='incremental', unique_key='id', incremental_strategy='delete+insert') }} select id, region from {{ ref('regions') }}
