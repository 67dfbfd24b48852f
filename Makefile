# Every command a reader needs; `make` alone lists them. Options:
#   JOBS=4      notebooks at a time (default: all cores)
#   SOURCE=...  auto, mirror, download or embedded
#   FORCE=1     run notebooks that nothing has changed for, too
#   PARAMS=mine.yml   parameters of your own for make reproduce, which then writes build/mine/
#   PYTHON=python3.12, VENV=folder   what creates the environment, and where
#   N=11-one-task, P="campaign=wmt12 task=cs-en"   of make notebook; blanks: P="path='my file.csv'"
#   FILE=my.csv, P="scale=5,1 ignore=note"   of make rank: the options of wmtlib rank;  PORT=9000 of make lab

PYTHON ?= python3
VENV   ?= .venv
JOBS   ?= 0
SOURCE ?= auto
# What users type is data: make does not expand a `$` in it, and recipes read it from the environment.
TYPED  := JOBS SOURCE FORCE PARAMS PYTHON VENV N P FILE PORT
$(foreach name,$(TYPED),$(eval override $(name) := $$(value $(name))))
export $(TYPED)
# In an activated conda environment that holds the package (environment.yml) that one is used.
CONDA  := $(if $(filter-out base,$(CONDA_DEFAULT_ENV)),$(wildcard $(CONDA_PREFIX)/bin/wmtlib))
PY     ?= $(if $(CONDA),$(CONDA_PREFIX),$(VENV))/bin/python
# The first would compile modules anew in every process; with the second, notebooks have no pictures.
unexport PYTHONDONTWRITEBYTECODE MPLBACKEND
# With a Python of your own (PY=python) no environment is made.
OURS   := $(if $(filter $(VENV)/bin/python,$(PY)),yes)
READY  := $(if $(OURS),$(VENV)/.ready)
TOOLS  := $(if $(OURS),$(VENV)/.tools)
# An environment that was copied or moved with its folder is made anew: it names the old folder in many
# files, and would run the code that is there.
MADE_IN := $(if $(OURS),$(shell cat '$(subst ','\'',$(READY))' 2> /dev/null))

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help env data reproduce check test nbval test-all coverage notebook lint wheel lab bench rank processors
.PHONY: report archive clean embedded lock executed checked compared finished book always

help: ## list these commands
	@grep -E '^[a-z-]+:.*##' $(firstword $(MAKEFILE_LIST)) | sed -E 's/^([a-z-]+):.*## /\1\t/' \
	  | while IFS="$$(printf '\t')" read -r name what; do printf '  make %-10s %s\n' "$$name" "$$what"; done
	@printf '\nOptions: JOBS=2  SOURCE=auto|mirror|download|embedded  PYTHON=python3.12\n'
env: $(READY) ## create the environment of the study (make test adds its tools)
$(VENV)/.ready: requirements.lock pyproject.toml $(if $(subst x$(CURDIR)x,,x$(MADE_IN)x),always)
	@.ci/environment "$$PYTHON" "$$VENV" requirements.lock
$(VENV)/.tools: $(VENV)/.ready requirements-dev.lock
	@.ci/environment "$$PYTHON" "$$VENV" requirements-dev.lock
	@touch $@

data: $(READY) ## write wmtlib/data/counts.csv and tasks.csv from the raw files
	@"$(PY)" -m study data --source "$$SOURCE"
reproduce: $(READY) ## run every notebook; write results/, figures/ and the book
	@$(call start,finished,$(if $(PARAMS),build/mine))
check: $(READY) ## recompute the scoreboard; fail on an unexplained row, a changed result, a stale README
	@$(call start,checked,build/check)
	@env -u WMTLIB_OUTPUT "$(PY)" -m pytest -q -m "" tests/study/test_readme_numbers.py tests/study/test_processors.py
processors: reproduce ## run every notebook as on an older processor, in build/processors; compare all files
	@rm -rf build/processors
	@export WMTLIB_KEPT="$(CURDIR)/build/processors/kept" OPENBLAS_CORETYPE=Prescott; \
	  NPY_DISABLE_CPU_FEATURES="$$($(STEP) features)" && export NPY_DISABLE_CPU_FEATURES && \
	  $(call start,compared,build/processors)

SHARED := -n logical --maxprocesses 4 --dist loadfile --no-loadscope-reorder
STORED := $(if $(filter mirror,$(SOURCE)),notebooks,tests/embedded)
test: $(TOOLS) ## run the quick tests
	@"$(PY)" -m pytest -q $(SHARED)
nbval: $(TOOLS) ## compare what the notebooks print and show (SOURCE=mirror: from the raw files)
	@"$(PY)" -m pytest -q $(SHARED) --nbval -m notebook $(STORED)
test-all: test wheel ## run every test: the quick ones, the wheel, the notebooks, what is slow, real data
	@"$(PY)" -m pytest -q $(SHARED) --nbval -m "slow or realdata or notebook" tests wmtlib study
coverage: $(TOOLS) ## run the quick tests; list what of the code they leave untouched
	@"$(PY)" -m pytest -q $(SHARED) --cov --cov-report=term:skip-covered tests --ignore=tests/embedded
lint: $(TOOLS) ## check style, and the types of the public functions
	@"$(PY)" -m ruff check . && "$(PY)" -m ruff format --check . && "$(PY)" -m mypy
wheel: $(TOOLS) ## build the wheel; rank a file with it in an environment of its own
	@.ci/wheel "$(PY)"
lab: $(READY) ## open JupyterLab on the notebooks
	@"$(PY)" -m jupyterlab --config=notebooks/jupyter_server_config.py --notebook-dir=. $(if $(PORT),"--port=$$PORT") \
	  $(if $(filter 0,$(shell id -u)),--allow-root) notebooks/00-index.ipynb
bench: $(TOOLS) ## measure speed against peers
	@set -e; for name in mfas counting irt grid assessments reading votes bootstrap \
	  "waiting --large" answer_memory scale; do set -- $$name; "$(PY)" benchmarks/$$1.py $$2; done
rank: $(READY) ## rank your own judgements: make rank FILE=my.csv (runs 40-your-data, opens the page)
	@test -n "$$FILE" || { echo "say which file: make rank FILE=my.csv" >&2; exit 2; }
	@"$(PY)" -m study notebook -- "$$FILE" "$$P"
notebook: $(READY) ## run one notebook with other parameters: make notebook N=11-one-task P="task=cs-en"
	@$(STEP) notebook "$$N" "$$P"
report: $(READY) ## rebuild the book, build/report/index.html, from the executed notebooks
	@$(call start,book,$(if $(PARAMS),build/mine))
archive: $(READY) ## for archives and journals: write codecheck.yml and ro-crate-metadata.json into build/archive
	@"$(PY)" .ci/archive.py build/archive
clean: ## remove what was built (not the environment)
	rm -rf build .pytest_cache .ruff_cache .mypy_cache .hypothesis
embedded: ## for maintainers: renew the outputs that nbval compares without raw files
	@$(MAKE) --no-print-directory reproduce SOURCE=embedded
	@"$(PY)" tests/store_embedded.py
UPGRADE ?= --upgrade
# Extras are kept: for older versions of pip "coverage[toml]" is another package than "coverage".
LOCK     = uv pip compile --quiet --no-strip-extras --universal --fork-strategy fewest --python-version 3.11 --generate-hashes --no-header
lock: ## for maintainers: renew both lock files (needs uv); UPGRADE= keeps the versions
	$(LOCK) $(UPGRADE) --extra study --extra lab --group build --output-file requirements.lock pyproject.toml
	$(LOCK) $(UPGRADE) --all-extras --group lint --group bench --group build --constraint requirements.lock --output-file requirements-dev.lock pyproject.toml

# --- running the study -----------------------------------------------------------------------------
# `make reproduce`, `check`, `report` and `processors` first start a step in Python: it finds the data,
# removes from the folder OUT what has to be run again (cells, data, packages, published numbers, lock
# file or parameters have other contents than before), and calls make again with the answer: NOTEBOOKS,
# in the order in which they start; COMMIT, if notebooks/ and results/ are renewed; WMTLIB_SOURCE. So
# what is missing in OUT is run. One thread each: the kernels share the cores.
RUN       = exec env OMP_NUM_THREADS=1 "$(PY)" -m
STEP      = $(RUN) study.run
CORES     = $(or $(filter-out 0,$(JOBS)),$(shell getconf _NPROCESSORS_ONLN))
start     = $(STEP) start "$$SOURCE" "$(2)" $(CORES) $(MAKE) $(1)

OUT       ?= build/embedded
NOTEBOOKS ?= $(basename $(notdir $(wildcard notebooks/[0-9]*.ipynb)))
EXECUTED  := $(patsubst %,$(OUT)/notebooks/%.ipynb,$(subst :, ,$(NOTEBOOKS)))
TO        := $(if $(COMMIT),,$(OUT)/)
BOOK      := "$(PY)" docs/book/build.py $(OUT)/notebooks $(or $(TO),.) build/report $(if $(filter embedded,$(WMTLIB_SOURCE)),embedded,raw)

executed: $(EXECUTED)
checked: $(EXECUTED)
	@$(STEP) check
compared: $(OUT)/scored
	@$(STEP) compare
finished: $(OUT)/reported
	@printf '\nReport:    %s\nTables:    %s\nFigures:   %s\nTook:      %d s\n' "$(CURDIR)/build/report/index.html" \
	  "$(CURDIR)/$(TO)results" "$(CURDIR)/$(TO)figures" $$(($$(date +%s) - $(STARTED)))
	@$(STEP) verdict
book:
	@$(BOOK) && echo build/report/index.html

# A notebook, and the list of the files that it wrote. With COMMIT it goes back to notebooks/, too.
$(OUT)/notebooks/%.ipynb:
	@$(RUN) study.run.execute $* $(OUT) $(COMMIT)
# What 20, 31 and 33 have computed is not computed again.
$(OUT)/notebooks/23-which-model.ipynb: | $(OUT)/notebooks/20-perplexity.ipynb
$(OUT)/notebooks/67-humans-or-chance.ipynb: | $(OUT)/notebooks/31-stability.ipynb $(OUT)/notebooks/33-simulation.ipynb

$(OUT)/scored: $(EXECUTED)
	@$(STEP) scores $(patsubst $(OUT)/notebooks/%.ipynb,$(OUT)/written/%.txt,$(EXECUTED))
	@touch $@

$(OUT)/reported: $(OUT)/scored $(if $(wildcard build/report/index.html),,always)
	@$(BOOK)
	@rm -f build/*/reported; touch $@
