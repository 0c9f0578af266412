SELECT avg(userid)
FROM hits
