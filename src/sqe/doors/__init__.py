"""Where clients come in: Flight SQL, and the ports that operators ask."""
