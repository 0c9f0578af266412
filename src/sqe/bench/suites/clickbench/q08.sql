SELECT regionid, count(DISTINCT userid) AS u
FROM hits
GROUP BY regionid
ORDER BY u DESC
LIMIT 10
