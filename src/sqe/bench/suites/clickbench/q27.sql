SELECT counterid, avg(length(url)) AS l, count(*) AS c
FROM hits
WHERE url <> ''
GROUP BY counterid
HAVING count(*) > 100000
ORDER BY l DESC
LIMIT 25
