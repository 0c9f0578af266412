UPDATE `cat`.`ns`.`t` AS `target`
SET `y` = (`target`.`y` + 1),
  `X` = CAST(NULL AS INT)
WHERE (`target`.`X` IN (SELECT `c` AS c_3 FROM `cat`.`ns`.`u` AS t))
