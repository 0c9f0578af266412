"""The one catalog that Spark sees: Iceberg's REST protocol on the loopback address."""
