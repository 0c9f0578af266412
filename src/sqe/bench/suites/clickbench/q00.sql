SELECT count(*)
FROM hits
