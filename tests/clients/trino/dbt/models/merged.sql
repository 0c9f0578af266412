{{ config(materialized='incremental', unique_key='id', incremental_strategy='merge') }} select id, region from {{ ref('regions') }}
