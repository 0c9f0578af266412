DELETE FROM `cat`.`ns`.`t` AS `target`
WHERE (`target`.`x` IS NULL)
