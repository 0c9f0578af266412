SELECT CAST(`snapshot_id` AS BIGINT) AS snapshot_id_3, CAST(`operation` AS STRING) AS operation_4
FROM `rows_statement_1_0` AS t
