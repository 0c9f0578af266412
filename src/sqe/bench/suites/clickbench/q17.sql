SELECT userid, searchphrase, count(*)
FROM hits
GROUP BY userid, searchphrase
LIMIT 10
