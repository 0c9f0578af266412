INSERT INTO `cat`.`a`.`b`.`T` (`y`, `X`)
SELECT p_3, q_4
FROM (VALUES (1, 2), (3, 4)) AS v1(p_3, q_4)
