SELECT sum(advengineid), count(*), avg(resolutionwidth)
FROM hits
