SELECT count(DISTINCT searchphrase)
FROM hits
