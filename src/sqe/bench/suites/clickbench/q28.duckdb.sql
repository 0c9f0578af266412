SELECT
    regexp_replace(referer, '^https?://(?:www\.)?([^/]+)/.*$', '\1') AS k,
    avg(length(referer)) AS l,
    count(*) AS c,
    min(referer)
FROM hits
WHERE referer <> ''
GROUP BY regexp_replace(referer, '^https?://(?:www\.)?([^/]+)/.*$', '\1')
HAVING count(*) > 100000
ORDER BY l DESC
LIMIT 25
