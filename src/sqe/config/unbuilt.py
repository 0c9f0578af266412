"""Keys that are known, and whose features are not built yet: setting one stops the start.

Only their names are kept, by the feature that each awaits. What a value must be is declared when there is
something that obeys it.
"""

from __future__ import annotations

AWAITED: dict[str, dict[str, str]] = {
    "the door for DuckDB's remote protocol": {"coordinator": "quack_port"},
    "other kinds of catalogs": {
        "catalogs.<name>": "uri region endpoint table_bucket_arn endpoint_url",
        "catalogs.<name>.backend": "uri region endpoint table_bucket_arn endpoint_url",
        "query": "catalog_discovery",
    },
    "settings of one catalog's tables": {
        "catalogs.<name>": (
            "default_table_format_version trust_sort_order small_file_threshold_mb "
            "parquet_compression manifest_concurrency "
            "namespace_visibility_filter"
        ),
    },
    "limits on a statement's memory": {
        "query": "max_concurrent_sorted_writes per_user_memory_budget max_query_memory",
        "coordinator": "memory_limit memory_pool spill_to_disk spill_dir spill_compression",
    },
    "workers": {
        "query": "distribution_threshold distribution_file_threshold target_task_size sort_mode",
        "coordinator": (
            "mode worker_urls worker_secret allow_unauthenticated_workers shuffle_compression max_workers "
            "health_check_interval_secs health_check_max_failures"
        ),
        "worker": (
            "coordinator_url flight_port advertise_url heartbeat_interval_secs memory_limit spill_to_disk "
            "spill_dir spill_compression scan_timeout_secs worker_secret"
        ),
    },
    "profiles of slow statements": {"query": "slow_query_threshold_secs query_profile"},
    "checks of a production server": {"coordinator": "production_mode debug"},
    "object stores": {
        "storage": (
            "coalesce_threshold footer_cache_size concurrent_requests_per_file max_concurrent_files "
            "prefetch_buffer azure_account azure_access_key azure_sas_token azure_use_emulator "
            "gcs_service_account_path gcs_service_account_key"
        ),
        "storage.tvf": (
            "allow_local_paths allow_http allowed_http_hosts allowed_object_store_prefixes "
            "object_store_admin_roles allow_inline_credentials"
        ),
    },
    "providers of tokens": {
        "auth.providers": "email_claim region validate_with_sts extract_ou extract_san",
        "auth.external": "accept_invalid_certs",
        "auth": (
            "keycloak_url realm client_id client_secret token_endpoint ssl_verification tls_skip_verify "
            "roles_claim admin_roles"
        ),
        "coordinator": "credential_refresh_interval_secs session_context_cache_ttl_secs",
    },
    "policy engines": {
        "policy": "mask_precedence ranger",
        "policy.opa": (
            "url policy_path timeout_secs cache_max_entries cache_ttl_secs breaker_failure_threshold "
            "breaker_recovery_secs"
        ),
        "policy.cedar": "policy_path entities_path",
    },
    "grants": {"access_control": "backend url timeout_secs client_id client_secret grant_authority"},
    "sessions that outlive the server": {
        "session": "persistence persistence_path secrets_path snapshot_interval_secs",
    },
    "the cache of results": {"query_cache": "enabled max_memory_mb max_entry_mb ttl_secs"},
    "the history of statements": {"query_history": "max_entries ttl_secs"},
    "limits on calls": {
        "rate_limit": (
            "enabled per_user_queries_per_minute global_queries_per_minute metadata_per_user_per_minute"
        ),
    },
    "traces": {"metrics": "otlp_endpoint traces_otlp_endpoint trace_sample_rate"},
    "the console": {"metrics": "web_ui"},
    "the audit log": {
        "metrics": "audit_log_path audit_export",
        "metrics.audit": "format gdpr_tags gdpr_identifier_mode superdebug_log_results",
    },
    "lineage": {
        "metrics.openlineage": (
            "enabled job_namespace producer emit_selects file_path http_endpoint auth_mode api_key "
            "http_timeout_ms http_retry_attempts spool_path spool_max_bytes replay_interval_secs "
            "channel_capacity"
        ),
    },
    "exceptions from safe defaults": {
        "security": (
            "allow_insecure_transport allow_shared_service_identity "
            "allow_unkeyed_hash_masks allow_unprojected_tags"
        ),
    },
    "upkeep of tables": {
        "maintenance": "mode principal compaction distribution",
        "maintenance.scheduler": "enabled tick_secs schedule jitter_secs lease",
    },
}
UNBUILT: dict[str, str] = {
    f"{section}.{name}": feature
    for feature, sections in AWAITED.items()
    for section, names in sections.items()
    for name in names.split()
}
"""The feature that each of them awaits."""
