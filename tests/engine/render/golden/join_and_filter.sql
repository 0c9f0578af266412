SELECT id_5 AS id_6
FROM (SELECT `id` AS id_1, `day` AS day_2 FROM `cat`.`ns`.`orders` AS t)
JOIN (SELECT `id` AS id_3, `part` AS part_4 FROM `cat`.`ns`.`lines` AS t)
  ON (id_1 = id_3)
LEFT JOIN (SELECT `id` AS id_5 FROM `cat`.`ns`.`parts` AS t)
  ON (part_4 = id_5)
WHERE (day_2 > 7)
