# Every command a reader needs. `make` alone lists them.
# Options: JOBS=4 (notebooks at a time, default: all cores), SOURCE=auto|mirror|download|embedded,
#          FORCE=1 (run notebooks that nothing has changed for, too),
#          PYTHON=python3.12 (what creates the environment), VENV=folder (where it stands),
#          PARAMS=mine.yml (parameters of your own for make reproduce, into build/mine/).
#          For make lab: PORT=9000.
#          For make rank: FILE=my.csv, KIND=rankings|pairwise|assessments, TASK=name.
#          For make notebook: N=11-one-task, P="campaign=wmt12 task=cs-en".

PYTHON ?= python3
VENV   ?= .venv
JOBS   ?= 0
SOURCE ?= auto
# In an activated conda environment that holds the package (environment.yml) that one is used.
CONDA  := $(if $(filter-out base,$(CONDA_DEFAULT_ENV)),$(wildcard $(CONDA_PREFIX)/bin/wmtlib))
BIN    := $(if $(CONDA),$(CONDA_PREFIX),$(VENV))/bin
PY     ?= $(BIN)/python
# Many Python processes start here one after another: each finds its modules compiled.
unexport PYTHONDONTWRITEBYTECODE
# A notebook would have no pictures with it.
unexport MPLBACKEND
# With a Python of your own (PY=python) no environment is made.
OURS   := $(if $(filter $(VENV)/bin/python,$(PY)),yes)
READY  := $(if $(OURS),$(VENV)/.ready)
TOOLS  := $(if $(OURS),$(VENV)/.tools)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help env data reproduce check test coverage notebook lint wheel lab bench rank report clean embedded lock
.PHONY: checked executed always

help: ## list these commands
	@grep -E '^[a-z]+:.*##' $(firstword $(MAKEFILE_LIST)) | sed -E 's/^([a-z]+):.*## /\1\t/' \
	  | while IFS="$$(printf '\t')" read -r name what; do printf '  make %-10s %s\n' "$$name" "$$what"; done
	@printf '\nOptions: JOBS=2  SOURCE=auto|mirror|download|embedded  PYTHON=python3.12\n'

env: $(READY) ## create the environment of the study (make test and make lab add their tools)

# A folder is emptied only if this Makefile has made it.
$(VENV)/.ready: requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "wmtlib needs Python 3.11 or newer, this is " + sys.version.split()[0] + "; try make PYTHON=python3.12")'
	@[ ! -e $(VENV) ] || [ -e $(VENV)/.wmtlib ] || [ -e $(VENV)/.ready ] || [ -z "$$(ls -A $(VENV))" ] \
	  || { echo "$(VENV) is not an environment that make has made, and would be emptied; name another folder: make VENV=folder" >&2; exit 2; }
	@echo "Creating $(VENV) from requirements.lock"
	@$(PYTHON) -m venv --clear $(VENV)
	@touch $(VENV)/.wmtlib
	@$(call install,requirements.lock)
	@$(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.tools: $(VENV)/.ready requirements-dev.lock
	@echo "Adding the tools of requirements-dev.lock"
	@$(call install,requirements-dev.lock)
	@touch $@

# uv where it is installed, which tells of its progress by itself; else pip, whose lines are counted.
define install
if command -v uv > /dev/null; \
then uv pip install --python $(BIN)/python --require-hashes --requirements $(1); \
else \
  { PYTHONUNBUFFERED=1 $(BIN)/python -m pip install --no-compile --disable-pip-version-check --require-hashes -r $(1) 2>&1; \
    echo "exit $$?"; } \
  | { all=$$(grep -c '^[a-zA-Z]' $(1)); seen=0; while read -r word rest; do case $$word in \
        Collecting) seen=$$((seen + 1)); [ $$((seen % 25)) != 0 ] || echo "  $$seen of at most $$all packages";; \
        Installing) echo "  installing them";; \
        ERROR:*) echo "$$word $$rest" >&2;; \
        exit) exit $$rest;; \
      esac; done; }; \
fi
endef

data: $(READY) ## write wmtlib/data/counts.csv and tasks.csv from the raw files
	@"$(PY)" -m study data --source $(SOURCE)

reproduce: $(READY) ## run every notebook; write results/, figures/ and the book

check: checked ## recompute the scoreboard; fail on an unexplained row, a changed result, a stale README
	@env -u WMTLIB_OUTPUT "$(PY)" -m pytest -q tests/study/test_readme_numbers.py tests/study/test_processors.py

# In the order of conftest.py: what takes longest comes first.
SHARED := -n logical --maxprocesses 4 --dist loadfile --no-loadscope-reorder

test: $(TOOLS) ## run every test, the notebooks' outputs included
	@"$(PY)" -m pytest -q $(SHARED)

coverage: $(TOOLS) ## run the tests but for the notebooks; list what of the package they leave untouched
	@"$(PY)" -m pytest -q $(SHARED) -m "not slow" \
	  --cov --cov-report=term:skip-covered tests --ignore=tests/embedded

lint: $(TOOLS) ## check style, and the types of the public functions
	@$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy

wheel: $(TOOLS) ## build the wheel; rank a file with it in an environment of its own
	@rm -rf build/wheel
	@"$(PY)" -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir build/wheel .
	@sed -n -e 's/\[[^]]*\]//' -e 's/ *\\$$//' -e '/^[a-zA-Z].*==/p' requirements.lock > build/wheel/constraints.txt
	@$(PYTHON) -m venv build/wheel/env
	@build/wheel/env/bin/python -m pip install --quiet --no-compile --disable-pip-version-check -c build/wheel/constraints.txt build/wheel/*.whl
	@cd build/wheel && env -u PYTHONPATH env/bin/wmtlib rank "$(CURDIR)/examples/pairwise.csv" --out page

lab: $(TOOLS) ## open JupyterLab on the notebooks
	@$(BIN)/jupyter lab --config=notebooks/jupyter_server_config.py --notebook-dir=. $(PORT:%=--port=%) \
	  $(if $(filter 0,$(shell id -u)),--allow-root) notebooks/00-index.ipynb

bench: $(TOOLS) ## measure speed against peers
	@"$(PY)" benchmarks/mfas.py
	@"$(PY)" benchmarks/counting.py
	@"$(PY)" benchmarks/irt.py
	@"$(PY)" benchmarks/grid.py
	@"$(PY)" benchmarks/assessments.py
	@"$(PY)" benchmarks/reading.py
	@"$(PY)" benchmarks/bootstrap.py
	@"$(PY)" benchmarks/resampling_trueskill.py --official
	@"$(PY)" benchmarks/waiting.py --large
	@"$(PY)" benchmarks/answer_memory.py
	@"$(PY)" benchmarks/scale.py

rank: $(READY) ## rank your own judgements: make rank FILE=my.csv (runs 40-your-data, opens the page)
	@test -n "$(FILE)" || { echo "say which file: make rank FILE=my.csv" >&2; exit 2; }
	@"$(PY)" -m study notebook "$(FILE)" --kind "$(KIND)" --task "$(TASK)"

notebook: $(READY) ## run one notebook with other parameters: make notebook N=11-one-task P="task=cs-en"
	@test -f "notebooks/$(N).ipynb" || { echo "say which: make notebook N=11-one-task P=\"campaign=wmt12 task=cs-en\"; there are:" >&2; ls notebooks | sed -n 's/\.ipynb$$//p' >&2; exit 2; }
	@mkdir -p build/notebook
	@WMTLIB_OUTPUT="$(CURDIR)/build/notebook" "$(PY)" -m study.run.runner notebook notebooks/$(N).ipynb build/notebook/$(N).ipynb $(P)
	@$(BIN)/jupyter nbconvert --log-level ERROR --to html build/notebook/$(N).ipynb
	@echo "Page:      $(CURDIR)/build/notebook/$(N).html"
	@if [ -t 1 ]; then "$(PY)" -m webbrowser "file://$(CURDIR)/build/notebook/$(N).html"; fi

report: $(READY) ## rebuild the book, build/report/index.html, from the executed notebooks

clean: ## remove what was built (not the environment)
	rm -rf build .pytest_cache .ruff_cache .mypy_cache .hypothesis

embedded: ## for maintainers: renew the outputs that nbval compares without raw files
	@$(MAKE) --no-print-directory reproduce SOURCE=embedded
	@"$(PY)" tests/store_embedded.py

lock: ## for maintainers: renew both lock files (needs uv); UPGRADE= keeps the versions
	$(LOCK) $(UPGRADE) --extra study --group build --output-file requirements.lock pyproject.toml
	$(LOCK) $(UPGRADE) --all-extras --group lint --group bench --group build --constraint requirements.lock --output-file requirements-dev.lock pyproject.toml

UPGRADE ?= --upgrade
# With extras: older versions of pip take "coverage[toml]" for another package than "coverage", and want
# a version of it, too.
LOCK     = uv pip compile --quiet --no-strip-extras --universal --fork-strategy fewest --python-version 3.11 --generate-hashes --no-header

# --- running the study -----------------------------------------------------------------------------
# `make reproduce` and `make check` first ask where the data are. build/source.mk has the answer: OUT,
# the folder of what is executed; DATA, the hash of the data; COMMIT, whether notebooks/ and results/
# are renewed. Make reads itself again with it.

# A step replaces its shell, so that make is its parent, and ends when make does. One thread each: the
# kernels share the cores, and small matrices gain nothing.
STUDY := $(filter reproduce check checked report,$(MAKECMDGOALS))
STEP  := exec env MAKE_PID=$$PPID OMP_NUM_THREADS=1 "$(PY)" -m study.run
ifneq ($(STUDY),)
ifneq ($(words $(MAKECMDGOALS)),1)
$(error make $(STUDY): one at a time, and nothing else with it)
endif
ifndef MAKE_RESTARTS
# What the last run chose is not what this one is asked for.
$(shell rm -f build/source.mk)
endif
include build/source.mk
ifndef MAKE_RESTARTS
build/source.mk: $(READY) always
	@$(STEP).steps prepare $(STUDY:checked=check) $(SOURCE) $(JOBS)
endif
endif

OUT       ?= build/embedded
NOTEBOOKS ?= $(basename $(notdir $(wildcard notebooks/[0-9]*.ipynb)))
SLOWEST   := 62 60 13 63 20 61 31 23 33 12 22 32
ORDER     := $(foreach number,$(SLOWEST),$(filter $(number)-%,$(NOTEBOOKS)))
ORDER     += $(filter-out $(ORDER),$(NOTEBOOKS))
EXECUTED  := $(ORDER:%=$(OUT)/notebooks/%.ipynb)
WRITTEN   := $(ORDER:%=$(OUT)/written/%.txt)
BOOK      := "$(PY)" docs/book/build.py $(OUT)/notebooks $(if $(COMMIT),.,$(OUT)) build/report \
  $(if $(filter embedded,$(WMTLIB_SOURCE)),embedded,raw)
LOGGED    := 2>> $(OUT)/kernels.log # what kernels say of themselves

reproduce: $(OUT)/reported
	@$(STEP).steps verdict

report:
	@$(BOOK)
	@echo build/report/index.html

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
	@$(BOOK)
	@rm -f build/*/reported
	@touch $@

# What every notebook rests on: data, package, published numbers, lock file. A file that changes with
# their contents, not with their dates.
$(OUT)/inputs: always
	@mkdir -p $(OUT)
	@(echo "$(WMTLIB_SOURCE) $(DATA)"; find wmtlib study data requirements.lock $(WMTLIB_PARAMETERS) -type f ! -name '*.pyc' \
	  | LC_ALL=C sort | xargs cksum) > $@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi
