SELECT userid, extract(MINUTE FROM eventtime) AS m, searchphrase, count(*)
FROM hits
GROUP BY userid, extract(MINUTE FROM eventtime), searchphrase
ORDER BY count(*) DESC
LIMIT 10
