{% snapshot regions_history %}{{ config(target_schema='dbt', unique_key='id', strategy='check', check_cols=['region']) }} select * from {{ ref('regions') }}{% endsnapshot %}
