SELECT date_trunc('minute', eventtime) AS m, count(*) AS pageviews
FROM hits
WHERE
    counterid = 62
    AND eventdate >= DATE '2013-07-14'
    AND eventdate <= DATE '2013-07-15'
    AND isrefresh = 0
    AND dontcounthits = 0
GROUP BY date_trunc('minute', eventtime)
ORDER BY date_trunc('minute', eventtime)
LIMIT 10
OFFSET 1000
