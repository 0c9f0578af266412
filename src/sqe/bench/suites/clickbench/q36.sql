SELECT url, count(*) AS pageviews
FROM hits
WHERE
    counterid = 62
    AND eventdate >= DATE '2013-07-01'
    AND eventdate <= DATE '2013-07-31'
    AND dontcounthits = 0
    AND isrefresh = 0
    AND url <> ''
GROUP BY url
ORDER BY pageviews DESC
LIMIT 10
