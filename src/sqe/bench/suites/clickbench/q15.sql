SELECT userid, count(*)
FROM hits
GROUP BY userid
ORDER BY count(*) DESC
LIMIT 10
