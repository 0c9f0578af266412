-- files_ffcbc53c4a65dcf6: parquet /data/x.parquet /data/y.parquet
SELECT CAST(`a` AS INT) AS a_1, CAST(`b` AS INT) AS b_2
FROM `files_ffcbc53c4a65dcf6` AS t
WHERE (`a` = 1)
