"""The Iceberg REST door: mounted catalogs for other engines, under their real names and with log-in. Files
are handed out to those alone from whom nothing of them is hidden."""
