"""Where files are: how places are spelled, and how what is there is read and written."""
