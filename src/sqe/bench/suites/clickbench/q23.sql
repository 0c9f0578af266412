SELECT *
FROM hits
WHERE url LIKE '%google%'
ORDER BY eventtime
LIMIT 10
