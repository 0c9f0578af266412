SELECT searchengineid, searchphrase, count(*) AS c
FROM hits
WHERE searchphrase <> ''
GROUP BY searchengineid, searchphrase
ORDER BY c DESC
LIMIT 10
