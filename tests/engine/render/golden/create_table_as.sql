CREATE OR REPLACE TABLE `cat`.`ns`.`new`
USING iceberg
PARTITIONED BY (bucket(8, `Id`), days(`day`), `b`)
COMMENT 'what\'s new'
LOCATION '/data/new'
TBLPROPERTIES ('format-version' = '2', 'note' = 'it\'s \\ odd')
AS SELECT `a` AS `Id`, `b`, `day`
FROM `cat`.`ns`.`t` AS t
