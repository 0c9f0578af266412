SELECT count(*)
FROM hits
WHERE advengineid <> 0
