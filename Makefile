# Every command a reader needs. `make` alone lists them.
# Options: JOBS=4 (notebooks at a time, default: all cores), SOURCE=auto|mirror|download|embedded,
#          FORCE=1 (run notebooks that nothing has changed for, too),
#          PYTHON=python3.12 (what creates the environment), VENV=folder (where it stands).
#          For make rank: FILE=my.csv, KIND=rankings|pairwise|assessments, TASK=name.

PYTHON ?= python3
VENV   ?= .venv
JOBS   ?= 0
SOURCE ?= auto
BIN    := $(VENV)/bin
PY     ?= $(BIN)/python
# Many Python processes start here one after another: each finds its modules compiled.
unexport PYTHONDONTWRITEBYTECODE
# On a terminal pip says what it does.
QUIET := $(shell test -t 2 || echo --quiet)
# A notebook would have no pictures with it.
unexport MPLBACKEND
# With a Python of your own (PY=python) no environment is made.
READY  := $(if $(filter $(BIN)/python,$(PY)),$(VENV)/.ready)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help env data reproduce check test lint wheel lab bench rank report clean embedded lock
.PHONY: checked executed always

help: ## list these commands
	@grep -E '^[a-z]+:.*##' $(firstword $(MAKEFILE_LIST)) | sed -E 's/^([a-z]+):.*## /\1\t/' \
	  | while IFS="$$(printf '\t')" read -r name what; do printf '  make %-10s %s\n' "$$name" "$$what"; done
	@printf '\nOptions: JOBS=2  SOURCE=auto|mirror|download|embedded  PYTHON=python3.12\n'

env: $(READY) ## create the environment from the lock file

$(VENV)/.ready: requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "wmtlib needs Python 3.11 or newer, this is " + sys.version.split()[0] + "; try make PYTHON=python3.12")'
	@echo "Creating $(VENV) from requirements.lock (one to four minutes)"
	@$(PYTHON) -m venv --clear $(VENV)
	@$(BIN)/python -m pip install $(QUIET) --no-compile --disable-pip-version-check --require-hashes -r requirements.lock
	@$(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

data: $(READY) ## write wmtlib/data/counts.csv and tasks.csv from the raw files
	@$(BIN)/python -m wmtlib data --source $(SOURCE)

reproduce: $(READY) ## run every notebook; write results/, figures/ and the report

check: checked ## recompute the scoreboard; fail on an unexplained row, a changed result, a stale README
	@env -u WMTLIB_OUTPUT "$(PY)" -m pytest -q tests/test_readme_numbers.py tests/test_processors.py

test: $(READY) ## run every test, the notebooks' outputs included
	@$(BIN)/python -m pytest -q -n logical --maxprocesses 4 --dist loadfile

lint: $(READY) ## check style, and the types of the public functions
	@$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy

wheel: $(READY) ## build the wheel; rank a file with it in an environment of its own
	@rm -rf build/wheel
	@$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir build/wheel .
	@sed -n 's/^\([a-zA-Z].*==.*[^ ]\) *\\$$/\1/p' requirements.lock > build/wheel/constraints.txt
	@$(PYTHON) -m venv build/wheel/env
	@build/wheel/env/bin/python -m pip install --quiet --no-compile --disable-pip-version-check -c build/wheel/constraints.txt build/wheel/*.whl
	@cd build/wheel && env -u PYTHONPATH env/bin/wmtlib rank "$(CURDIR)/examples/pairwise.csv" --out page

lab: $(READY) ## open JupyterLab on the notebooks
	@$(BIN)/jupyter lab --config=notebooks/jupyter_server_config.py --notebook-dir=. notebooks/00-index.ipynb

bench: $(READY) ## measure speed against peers
	@$(BIN)/python benchmarks/mfas.py
	@$(BIN)/python benchmarks/counting.py
	@$(BIN)/python benchmarks/irt.py
	@$(BIN)/python benchmarks/grid.py
	@$(BIN)/python benchmarks/assessments.py
	@$(BIN)/python benchmarks/reading.py
	@$(BIN)/python benchmarks/bootstrap.py
	@$(BIN)/python benchmarks/resampling_trueskill.py --official
	@$(BIN)/python benchmarks/waiting.py --large
	@$(BIN)/python benchmarks/scale.py

rank: $(READY) ## rank your own judgements: make rank FILE=my.csv (runs 40-your-data, opens the page)
	@test -n "$(FILE)" || { echo "say which file: make rank FILE=my.csv" >&2; exit 2; }
	@$(BIN)/python -m wmtlib notebook "$(FILE)" --kind "$(KIND)" --task "$(TASK)"

report: $(READY) ## rebuild build/report/index.html from the executed notebooks
	@$(BIN)/python -m wmtlib report --source $(SOURCE)

clean: ## remove what was built (not the environment)
	rm -rf build .pytest_cache .ruff_cache .mypy_cache .hypothesis

embedded: ## for maintainers: renew the outputs that nbval compares without raw files
	@$(MAKE) --no-print-directory reproduce SOURCE=embedded
	@$(BIN)/python tests/store_embedded.py

lock: ## for maintainers: renew requirements.lock (needs uv)
	uv pip compile --quiet --upgrade --universal --fork-strategy fewest --python-version 3.11 --all-extras \
	  --generate-hashes --no-header --output-file requirements.lock pyproject.toml

# --- running the study -----------------------------------------------------------------------------
# `make reproduce` and `make check` first ask where the data are. build/source.mk has the answer: OUT,
# the folder of what is executed; DATA, the hash of the data; COMMIT, whether notebooks/ and results/
# are renewed. Make reads itself again with it.

# A step replaces its shell, so that make is its parent, and ends when make does. One thread each: the
# kernels share the cores, and small matrices gain nothing.
STUDY := $(filter reproduce check checked,$(MAKECMDGOALS))
STEP  := exec env MAKE_PID=$$PPID OMP_NUM_THREADS=1 "$(PY)" -m wmtlib.study.running
ifneq ($(STUDY),)
ifneq ($(words $(MAKECMDGOALS)),1)
$(error make $(STUDY): one at a time, and nothing else with it)
endif
include build/source.mk
ifndef MAKE_RESTARTS
build/source.mk: $(READY) always
	@$(STEP).steps prepare $(STUDY:checked=check) $(SOURCE) $(JOBS)
endif
endif

OUT       ?= build/embedded
NOTEBOOKS ?= $(basename $(notdir $(wildcard notebooks/[0-9]*.ipynb)))
SLOWEST   := 62 60 20 61 31 23 33 12 22 32
ORDER     := $(foreach number,$(SLOWEST),$(filter $(number)-%,$(NOTEBOOKS)))
ORDER     += $(filter-out $(ORDER),$(NOTEBOOKS))
EXECUTED  := $(ORDER:%=$(OUT)/notebooks/%.ipynb)
WRITTEN   := $(ORDER:%=$(OUT)/written/%.txt)
LOGGED    := 2>> $(OUT)/kernels.log # what kernels say of themselves

reproduce: $(OUT)/reported
	@$(STEP).steps verdict

checked: $(EXECUTED)
	@$(STEP).steps check

executed: $(EXECUTED)

# A notebook, and the list of the files that it wrote. With COMMIT it goes back to notebooks/ with
# its outputs; the copy here stays the newer one. Its name comes last: whenever a run is killed, a
# notebook is here and in notebooks/ as it was or whole.
$(OUT)/notebooks/%.ipynb $(OUT)/written/%.txt: notebooks/%.ipynb $(OUT)/inputs
	@rm -f $(OUT)/notebooks/$*.ipynb
	@mkdir -p $(OUT)/written
	@: > $(OUT)/written/$*.txt
	@export WMTLIB_WRITTEN="$(CURDIR)/$(OUT)/written/$*.txt"; \
	  $(STEP).runner notebook $< $(OUT)/notebooks/$*.new $(LOGGED)
	@$(if $(COMMIT),cp $(OUT)/notebooks/$*.new $<.new && mv $<.new $<)
	@mv $(OUT)/notebooks/$*.new $(OUT)/notebooks/$*.ipynb
	@touch $(OUT)/notebooks/$*.ipynb $(OUT)/written/$*.txt

# What 20 has measured is not measured again.
$(OUT)/notebooks/23-which-model.ipynb: $(OUT)/notebooks/20-perplexity.ipynb

$(OUT)/scored: $(EXECUTED) $(WRITTEN)
	@$(STEP).steps scores
	@touch $@

$(OUT)/reported: $(OUT)/scored $(if $(wildcard build/report/index.html),,always)
	@$(STEP).steps report
	@rm -f build/*/reported
	@touch $@

# What every notebook rests on: data, package, published numbers, lock file. A file that changes with
# their contents, not with their dates.
$(OUT)/inputs: always
	@mkdir -p $(OUT)
	@(echo "$(WMTLIB_SOURCE) $(DATA)"; find wmtlib data requirements.lock -type f ! -name '*.pyc' \
	  | LC_ALL=C sort | xargs cksum) > $@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi
