SELECT CAST(x_4_ AS INT) AS x_9,
  CAST((k_5_).`key` AS STRING) AS k_10,
  CAST((k_5_).`value` AS INT) AS v_11,
  CAST((p_7_).`p` AS INT) AS p_12,
  CAST((p_7_).`q` AS STRING) AS q_13
FROM (SELECT `xs` AS xs_1, `m` AS m_2, `rs` AS rs_3 FROM `cat`.`ns`.`t` AS t)
LATERAL VIEW inline(CAST(arrays_zip(coalesce(xs_1, CAST(array() AS ARRAY<INT>)), coalesce(map_entries(m_2), CAST(array() AS ARRAY<STRUCT<`key`: STRING, `value`: INT>>)), coalesce(rs_3, CAST(array() AS ARRAY<STRUCT<`p`: INT, `q`: STRING>>))) AS ARRAY<STRUCT<`e0`: INT, `e1`: STRUCT<`key`: STRING, `value`: INT>, `e2`: STRUCT<`p`: INT, `q`: STRING>>>)) v1 AS x_4_, k_5_, p_7_
