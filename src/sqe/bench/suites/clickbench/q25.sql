SELECT searchphrase
FROM hits
WHERE searchphrase <> ''
ORDER BY searchphrase
LIMIT 10
