"""What every room stands on, and what knows nothing of SQL: records, scratch directories, bounded caches.

Imports nothing of ours but errors."""
