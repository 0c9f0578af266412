SELECT userid, searchphrase, count(*)
FROM hits
GROUP BY userid, searchphrase
ORDER BY count(*) DESC
LIMIT 10
