# One way to do each chore. `./sqe --bootstrap-only` makes .venv, and does nothing when it is up to date.
PYTHON := .venv/bin/python
# Nothing of the machine that resolves (index, links, options, comments) may land in the lock.
COMPILE := $(PYTHON) -m piptools compile --quiet --generate-hashes --strip-extras --no-header --no-annotate \
	--no-emit-index-url --no-emit-find-links --no-emit-trusted-host --no-emit-options

# What every change is tested with; the other marks are long, or need what not every machine has.
USUAL := not long and not lanes and not integration and not flight and not trino
QUICK = $(PYTHON) -m pytest -n auto --dist loadfile --without-spark -m "$(USUAL)"
# One more than two cores: tests wait for processes that start and end. In the order of the files: those with few
# tests, which would else come last, take longest.
WITH_SPARK = $(PYTHON) -m pytest -n 3 --dist loadfile --no-loadscope-reorder -m "spark and $(USUAL)"

.DEFAULT_GOAL := help
.PHONY: help bootstrap run test test-quick test-long test-lanes test-parity test-integration test-identity test-flight test-trino lint bench bench-suites soak stack stack-down docs screenshots lock

help: ## List the chores
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

bootstrap:
	@./sqe --bootstrap-only

run: ## Start the shell on the embedded warehouse
	@./sqe

test: bootstrap ## Run the tests in parallel: what needs no Spark, then the others on one Spark
	failed=0; $(QUICK) || failed=1; $(WITH_SPARK) || failed=1; exit $$failed

test-quick: bootstrap ## Run what needs no Spark, in parallel; fails where a Java is started all the same
	$(QUICK)

test-long: bootstrap ## Run all tests, also those that take minutes each
	$(PYTHON) -m pytest

test-lanes: bootstrap ## Prove that both lanes give one answer; SQE_PROOF=write records what was found
	$(PYTHON) -m pytest tests/lanes tests/functions/test_leakproof_never_raises.py

test-parity: bootstrap ## Compare with the recorded answers of a Trino, and write how compatible we are
	$(PYTHON) -m pytest tests/parity
	$(PYTHON) docs/generate.py

test-integration: bootstrap ## Run the tests that start servers of others: PostgreSQL, Keycloak, MinIO, Nessie, Trino (fetches 1.3 GB once)
	$(PYTHON) -m pytest -m integration

test-identity: bootstrap ## Run log-ins and a lake as each user, with Keycloak, Nessie and MinIO (fetches 500 MB once; MinIO needs go)
	$(PYTHON) -m pytest -n 0 tests/auth tests/stack tests/server/test_tokens_of_sessions.py

stack: bootstrap ## Start Keycloak, an S3 server and Nessie on 127.0.0.1, in .stack/
	PYTHONPATH=. $(PYTHON) -m stack up

stack-down: bootstrap ## End what `make stack` has started
	PYTHONPATH=. $(PYTHON) -m stack down

test-flight: bootstrap ## Run the clients of Flight SQL: ADBC, pyarrow, JDBC (needs a JDK) and Go (needs go)
	$(PYTHON) -m pytest tests/clients --ignore tests/clients/trino

test-trino: bootstrap ## Run Trino's clients against the Trino door: CLI, JDBC, Python, SQLAlchemy, Go, Node, dbt, Superset (fetches 500 MB once)
	$(PYTHON) -m pytest -n 0 tests/doors/trino tests/clients/trino tests/docs/test_clients_page.py

lint: bootstrap ## Check style and types
	$(PYTHON) -m ruff check .
	$(PYTHON) -m mypy

bench: bootstrap ## Measure
	$(PYTHON) -m benchmarks.overhead

bench-suites: bootstrap ## Measure the suites (an hour), and write docs/benchmarks.md
	mkdir -p .bench
	$(PYTHON) -m sqe bench run --suite tpch --suite ssb --suite clickbench --suite tpcds --json .bench/suites.json
	$(PYTHON) -m benchmarks.cold --json .bench/cold.json
	$(PYTHON) -m benchmarks.point --json .bench/point.json
	$(PYTHON) -m benchmarks.flight --json .bench/flight.json
	$(PYTHON) -m sqe bench report .bench/suites.json .bench/cold.json .bench/point.json .bench/flight.json

soak: bootstrap ## Run a server under readers and writers (SOAK_SECONDS=540), and draw its memory
	mkdir -p .bench
	$(PYTHON) -m benchmarks.soak --seconds $(or $(SOAK_SECONDS),540) --json .bench/soak.json --plot .bench/soak.svg

docs: bootstrap ## Write the generated pages again
	$(PYTHON) docs/generate.py

screenshots: bootstrap ## Draw the pictures of the shell again
	$(PYTHON) docs/screenshots.py

lock: bootstrap ## Resolve the lock files again
	$(PYTHON) -m pip --disable-pip-version-check install pip-tools
	$(COMPILE) --allow-unsafe -o requirements-build.lock requirements-build.in
	@grep -v -e '^#' -e '^$$' requirements-build.lock > requirements-build.tmp && mv requirements-build.tmp requirements-build.lock
	$(COMPILE) --extra java --extra tpch --extra test --extra dev -o requirements.lock pyproject.toml
