SELECT url, count(*) AS c
FROM hits
GROUP BY url
ORDER BY c DESC
LIMIT 10
