SELECT urlhash, eventdate, count(*) AS pageviews
FROM hits
WHERE
    counterid = 62
    AND eventdate >= DATE '2013-07-01'
    AND eventdate <= DATE '2013-07-31'
    AND isrefresh = 0
    AND traficsourceid IN (-1, 6)
    AND refererhash = 3594120000172545465
GROUP BY urlhash, eventdate
ORDER BY pageviews DESC
LIMIT 10
OFFSET 100
