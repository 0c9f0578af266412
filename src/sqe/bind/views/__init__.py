"""Views: how one is created, and how its text takes the place of its name."""
