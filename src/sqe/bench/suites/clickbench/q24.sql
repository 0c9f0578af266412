SELECT searchphrase
FROM hits
WHERE searchphrase <> ''
ORDER BY eventtime
LIMIT 10
