SELECT searchengineid, clientip, count(*) AS c, sum(isrefresh), avg(resolutionwidth)
FROM hits
WHERE searchphrase <> ''
GROUP BY searchengineid, clientip
ORDER BY c DESC
LIMIT 10
