SELECT searchphrase, min(url), count(*) AS c
FROM hits
WHERE url LIKE '%google%' AND searchphrase <> ''
GROUP BY searchphrase
ORDER BY c DESC
LIMIT 10
