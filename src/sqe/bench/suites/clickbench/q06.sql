SELECT min(eventdate), max(eventdate)
FROM hits
