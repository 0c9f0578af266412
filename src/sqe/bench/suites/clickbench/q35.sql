SELECT clientip, clientip - 1, clientip - 2, clientip - 3, count(*) AS c
FROM hits
GROUP BY clientip, clientip - 1, clientip - 2, clientip - 3
ORDER BY c DESC
LIMIT 10
