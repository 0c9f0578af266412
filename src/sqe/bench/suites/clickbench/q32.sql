SELECT watchid, clientip, count(*) AS c, sum(isrefresh), avg(resolutionwidth)
FROM hits
GROUP BY watchid, clientip
ORDER BY c DESC
LIMIT 10
