# One way to do each chore. `./sqe --bootstrap-only` makes .venv, and does nothing when it is up to date.
PYTHON := .venv/bin/python
# Nothing of the machine that resolves (index, links, options, comments) may land in the lock.
COMPILE := $(PYTHON) -m piptools compile --quiet --generate-hashes --strip-extras --no-header --no-annotate \
	--no-emit-index-url --no-emit-find-links --no-emit-trusted-host --no-emit-options

.DEFAULT_GOAL := help
.PHONY: help bootstrap run test test-long test-parity lint bench docs screenshots lock

help: ## List the chores
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

bootstrap:
	@./sqe --bootstrap-only

run: ## Start the shell on the embedded warehouse
	@./sqe

test: bootstrap ## Run the tests
	$(PYTHON) -m pytest -m "not long"

test-long: bootstrap ## Run all tests, also those that take minutes each
	$(PYTHON) -m pytest

test-parity: bootstrap ## Compare with the recorded answers of a Trino, and write how compatible we are
	$(PYTHON) -m pytest tests/parity
	$(PYTHON) docs/generate.py

lint: bootstrap ## Check style and types
	$(PYTHON) -m ruff check .
	$(PYTHON) -m mypy

bench: bootstrap ## Measure
	$(PYTHON) -m sqe.bench.overhead

docs: bootstrap ## Write the generated pages again
	$(PYTHON) docs/generate.py

screenshots: bootstrap ## Draw the pictures of the shell again
	$(PYTHON) docs/screenshots.py

lock: bootstrap ## Resolve the lock files again
	$(PYTHON) -m pip --disable-pip-version-check install pip-tools
	$(COMPILE) --allow-unsafe -o requirements-build.lock requirements-build.in
	$(COMPILE) --extra java --extra test --extra dev -o requirements.lock pyproject.toml
