SELECT searchphrase, min(url), min(title), count(*) AS c, count(DISTINCT userid)
FROM hits
WHERE title LIKE '%Google%' AND url NOT LIKE '%.google.%' AND searchphrase <> ''
GROUP BY searchphrase
ORDER BY c DESC
LIMIT 10
