"""Views: how one is made, and how its text takes the place of its name."""
