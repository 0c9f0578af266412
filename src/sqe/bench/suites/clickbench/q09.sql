SELECT regionid, sum(advengineid), count(*) AS c, avg(resolutionwidth), count(DISTINCT userid)
FROM hits
GROUP BY regionid
ORDER BY c DESC
LIMIT 10
