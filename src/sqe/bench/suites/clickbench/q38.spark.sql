SELECT url, count(*) AS pageviews
FROM hits
WHERE
    counterid = 62
    AND eventdate >= DATE '2013-07-01'
    AND eventdate <= DATE '2013-07-31'
    AND isrefresh = 0
    AND islink <> 0
    AND isdownload = 0
GROUP BY url
ORDER BY pageviews DESC
LIMIT 10
OFFSET 1000
