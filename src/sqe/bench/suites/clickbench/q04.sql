SELECT count(DISTINCT userid)
FROM hits
