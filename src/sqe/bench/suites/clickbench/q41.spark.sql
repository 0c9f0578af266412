SELECT windowclientwidth, windowclientheight, count(*) AS pageviews
FROM hits
WHERE
    counterid = 62
    AND eventdate >= DATE '2013-07-01'
    AND eventdate <= DATE '2013-07-31'
    AND isrefresh = 0
    AND dontcounthits = 0
    AND urlhash = 2868770270353813622
GROUP BY windowclientwidth, windowclientheight
ORDER BY pageviews DESC
LIMIT 10
OFFSET 10000
