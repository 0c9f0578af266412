SELECT
    traficsourceid,
    searchengineid,
    advengineid,
    CASE WHEN searchengineid = 0 AND advengineid = 0 THEN referer ELSE '' END AS src,
    url AS dst,
    count(*) AS pageviews
FROM hits
WHERE
    counterid = 62
    AND eventdate >= DATE '2013-07-01'
    AND eventdate <= DATE '2013-07-31'
    AND isrefresh = 0
GROUP BY
    traficsourceid,
    searchengineid,
    advengineid,
    CASE WHEN searchengineid = 0 AND advengineid = 0 THEN referer ELSE '' END,
    url
ORDER BY pageviews DESC
LIMIT 10
OFFSET 1000
