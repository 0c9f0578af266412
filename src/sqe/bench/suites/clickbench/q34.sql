SELECT 1, url, count(*) AS c
FROM hits
GROUP BY 1, url
ORDER BY c DESC
LIMIT 10
