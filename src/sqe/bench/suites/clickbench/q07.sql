SELECT advengineid, count(*)
FROM hits
WHERE advengineid <> 0
GROUP BY advengineid
ORDER BY count(*) DESC
