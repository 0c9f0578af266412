SELECT CAST(`snapshot_id` AS BIGINT) AS `snapshot_id_3`,
  CAST(`operation` AS STRING) AS `operation_4`
FROM `cat`.`ns`.`t`.`snapshots` AS `t`
