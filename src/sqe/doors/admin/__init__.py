"""The operator's ports: health and status on one, Prometheus' metrics on the other; both without identity,
so that nothing here names users, tables or paths. May import `readiness` and `observe`."""
