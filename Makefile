# Two commands: `make grade` marks exercises/, `make test` runs the tests. Both set everything up first.

PYTHON ?= python3
# Handed to every `pip install`, for example to choose another index for torch's CPU build.
PIP_OPTIONS ?=

BIN := .venv/bin
INSTALL := $(BIN)/python -m pip install --disable-pip-version-check --no-input $(PIP_OPTIONS) -c requirements.lock

ifeq ($(SITE_NAME),)
unexport SITE_NAME # a workflow gives an empty one where none is set
endif

# System packages that tests need; libatomic1 is for the Node inside Playwright. `SYSTEM=no` installs none, and leaves out
# the tests that need them.
PACKAGES := bubblewrap $(if $(shell grep -s ^ID=ubuntu /etc/os-release),chromium-browser,chromium) libatomic1 libseccomp2 postgresql
SYSTEM ?= $(if $(wildcard /usr/bin/apt-get),yes,no)

.PHONY: grade test quick test-all system lint types drift docs site wheel

grade: .venv/student.stamp
	@$(BIN)/attn check || [ $$? -eq 1 ]

# As many processes as there are cores, but four at most: each of them imports torch.
PYTEST := $(BIN)/pytest --numprocesses auto --maxprocesses 4 --system $(SYSTEM)

test: system .venv/dev.stamp
	$(PYTEST) -m "not world"

quick: .venv/dev.stamp
	$(PYTEST) -m "not slow and not world"

test-all: system .venv/dev.stamp
	$(PYTEST)

system:
ifneq ($(SYSTEM),no)
	@missing=$$(for name in $(PACKAGES); do \
		dpkg --status $$name 2> /dev/null | grep -q "^Status: .* installed$$" || printf " $$name"; done); \
	[ "$$missing" ] || exit 0; \
	[ "$$(id -u)" -eq 0 ] || root="sudo -n"; \
	$$root true 2> /dev/null || \
		{ echo "The tests need packages that root installs: apt-get install$$missing. Without them: make $(MAKECMDGOALS) SYSTEM=no"; exit 1; }; \
	$$root apt-get update -qq && $$root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq$$missing
endif

lint: .venv/dev.stamp
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: .venv/dev.stamp
	$(BIN)/mypy

drift: .venv/dev.stamp
	$(BIN)/attn build --check

docs site: export NO_MKDOCS_2_WARNING = 1

docs: .venv/docs.stamp
	$(BIN)/python -m autograder.site.font docs
	$(BIN)/mkdocs serve

site: .venv/docs.stamp
	$(BIN)/python -m autograder.site.font docs
	$(BIN)/mkdocs build --strict

# The course as `pip install` brings it, in dist/.
wheel: export NO_MKDOCS_2_WARNING = 1
wheel: .venv/dev.stamp
	$(BIN)/python -m autograder.site.font docs
	INSTRUCTORS=false SOLUTIONS=false $(BIN)/mkdocs build --quiet --strict --site-dir dist/site
	$(BIN)/attn release --wheel --out dist --with-site dist/site

.venv/python.stamp:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "The course needs Python 3.11 or newer; $(PYTHON) is older or missing. Name another: make PYTHON=python3.12 grade"; exit 1; }
	@echo "The first run sets up .venv: a few minutes, most of them for torch."
	@$(PYTHON) -m venv .venv || \
		{ echo "Python's venv module is missing. On Debian and Ubuntu: apt-get install python3-venv"; exit 1; }
	@touch $@

.venv/student.stamp: .venv/python.stamp pyproject.toml requirements.lock
	$(INSTALL) -e .
	@touch $@

.venv/docs.stamp: .venv/student.stamp
	$(INSTALL) -e ".[docs]"
	@touch $@

.venv/dev.stamp: .venv/student.stamp
	$(INSTALL) -e ".[instructor,notebook,docs,dev]"
	@touch $@
