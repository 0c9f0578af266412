SELECT title, count(*) AS pageviews
FROM hits
WHERE
    counterid = 62
    AND eventdate >= DATE '2013-07-01'
    AND eventdate <= DATE '2013-07-31'
    AND dontcounthits = 0
    AND isrefresh = 0
    AND title <> ''
GROUP BY title
ORDER BY pageviews DESC
LIMIT 10
