# Every command a reader needs; `make` alone lists them. Options:
#   JOBS=4      notebooks at a time (default: all cores)
#   SOURCE=...  auto, mirror, download or embedded
#   FORCE=1     run notebooks that nothing has changed for, too
#   PARAMS=mine.yml   parameters of your own for make reproduce, which then writes build/mine/
#   PYTHON=python3.12, VENV=folder   what creates the environment, and where
#   N=11-one-task, P="campaign=wmt12 task=cs-en"   of make notebook
#   FILE=my.csv, KIND=rankings|pairwise|assessments, TASK=name   of make rank;  PORT=9000 of make lab

PYTHON ?= python3
VENV   ?= .venv
JOBS   ?= 0
SOURCE ?= auto
# In an activated conda environment that holds the package (environment.yml) that one is used.
CONDA  := $(if $(filter-out base,$(CONDA_DEFAULT_ENV)),$(wildcard $(CONDA_PREFIX)/bin/wmtlib))
BIN    := $(if $(CONDA),$(CONDA_PREFIX),$(VENV))/bin
PY     ?= $(BIN)/python
# The first would compile modules anew in every process; with the second, notebooks have no pictures.
unexport PYTHONDONTWRITEBYTECODE MPLBACKEND
# With a Python of your own (PY=python) no environment is made.
OURS   := $(if $(filter $(VENV)/bin/python,$(PY)),yes)
READY  := $(if $(OURS),$(VENV)/.ready)
TOOLS  := $(if $(OURS),$(VENV)/.tools)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help env data reproduce check test coverage notebook lint wheel lab bench rank report archive clean
.PHONY: embedded lock executed checked finished book always

help: ## list these commands
	@grep -E '^[a-z]+:.*##' $(firstword $(MAKEFILE_LIST)) | sed -E 's/^([a-z]+):.*## /\1\t/' \
	  | while IFS="$$(printf '\t')" read -r name what; do printf '  make %-10s %s\n' "$$name" "$$what"; done
	@printf '\nOptions: JOBS=2  SOURCE=auto|mirror|download|embedded  PYTHON=python3.12\n'
env: $(READY) ## create the environment of the study (make test and make lab add their tools)
$(VENV)/.ready: requirements.lock pyproject.toml
	@.ci/environment "$(PYTHON)" "$(VENV)" requirements.lock
	@touch $@
$(VENV)/.tools: $(VENV)/.ready requirements-dev.lock
	@.ci/environment "$(PYTHON)" "$(VENV)" requirements-dev.lock
	@touch $@

data: $(READY) ## write wmtlib/data/counts.csv and tasks.csv from the raw files
	@"$(PY)" -m study data --source $(SOURCE)
reproduce: $(READY) ## run every notebook; write results/, figures/ and the book
	@$(if $(PARAMS),$(STEP) parameters "$(PARAMS)")
	@$(AGAIN) $(if $(PARAMS),OUT=build/mine COMMIT=) finished
check: $(READY) ## recompute the scoreboard; fail on an unexplained row, a changed result, a stale README
	@$(AGAIN) OUT=build/check COMMIT= checked
	@env -u WMTLIB_OUTPUT "$(PY)" -m pytest -q tests/study/test_readme_numbers.py tests/study/test_processors.py

SHARED := -n logical --maxprocesses 4 --dist loadfile --no-loadscope-reorder # in the order of conftest.py
test: $(TOOLS) ## run every test, the notebooks' outputs included
	@"$(PY)" -m pytest -q $(SHARED)
coverage: $(TOOLS) ## run the tests but for the notebooks; list what of the code they leave untouched
	@"$(PY)" -m pytest -q $(SHARED) -m "not slow" --cov --cov-report=term:skip-covered tests --ignore=tests/embedded
lint: $(TOOLS) ## check style, and the types of the public functions
	@$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy
wheel: $(TOOLS) ## build the wheel; rank a file with it in an environment of its own
	@.ci/wheel "$(PY)"
lab: $(TOOLS) ## open JupyterLab on the notebooks
	@$(BIN)/jupyter lab --config=notebooks/jupyter_server_config.py --notebook-dir=. $(PORT:%=--port=%) \
	  $(if $(filter 0,$(shell id -u)),--allow-root) notebooks/00-index.ipynb
bench: $(TOOLS) ## measure speed against peers
	@set -e; for name in mfas counting irt grid assessments reading bootstrap "resampling_trueskill --official" \
	  "waiting --large" answer_memory scale; do set -- $$name; "$(PY)" benchmarks/$$1.py $$2; done
rank: $(READY) ## rank your own judgements: make rank FILE=my.csv (runs 40-your-data, opens the page)
	@test -n "$(FILE)" || { echo "say which file: make rank FILE=my.csv" >&2; exit 2; }
	@"$(PY)" -m study notebook "$(FILE)" --kind "$(KIND)" --task "$(TASK)"

notebook: export WMTLIB_OUTPUT := $(CURDIR)/build/notebook
notebook: $(READY) ## run one notebook with other parameters: make notebook N=11-one-task P="task=cs-en"
	@test -f "notebooks/$(N).ipynb" || { echo "say which: make notebook N=11-one-task P=\"campaign=wmt12 task=cs-en\"; there are:" >&2; ls notebooks | sed -n 's/\.ipynb$$//p' >&2; exit 2; }
	@mkdir -p build/notebook && for word in $(P); do printf '%s\n' "$$word"; done | sed 's/=/: /' > build/notebook/typed.yml
	@$(STEP) parameters build/notebook/typed.yml $(N)
	@$(call run,$(N),build/notebook,build/notebook/typed.yml)
	@echo >> build/notebook/$(N).ipynb; sed -n 's/^ *"\(SIMULATED.*\)\\n",*$$/<p>\1<\/p>/p' build/notebook/$(N).ipynb > build/notebook/simulated
	@$(BIN)/jupyter nbconvert --log-level ERROR --to html build/notebook/$(N).ipynb
	@sed -i.old '/^<main>/r build/notebook/simulated' build/notebook/$(N).html && rm build/notebook/$(N).html.old
	@sed 's/<[^>]*>//g' build/notebook/simulated
	@echo "Page:      $(CURDIR)/build/notebook/$(N).html"
	@if [ -t 1 ]; then "$(PY)" -m webbrowser "file://$(CURDIR)/build/notebook/$(N).html"; fi
report: $(READY) ## rebuild the book, build/report/index.html, from the executed notebooks
	@$(AGAIN) $(if $(PARAMS),OUT=build/mine) book
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
	$(LOCK) $(UPGRADE) --extra study --group build --output-file requirements.lock pyproject.toml
	$(LOCK) $(UPGRADE) --all-extras --group lint --group bench --group build --constraint requirements.lock --output-file requirements-dev.lock pyproject.toml

# --- running the study -----------------------------------------------------------------------------
# `make reproduce`, `check` and `report` first ask where the data are (`prepare`), and call make again
# with the answer: OUT, the folder of what is executed; WMTLIB_SOURCE and DATA, where the data are and
# their hash; COMMIT, if notebooks/ and results/ are renewed; CHECKED, the notebooks of `make check`.
# What comes after it holds. One thread each: the kernels share the cores.
STEP       = exec env OMP_NUM_THREADS=1 "$(PY)" -m study.run
CORES      = $(or $(filter-out 0,$(JOBS)),$(shell getconf _NPROCESSORS_ONLN))
AGAIN      = words=$$($(STEP) prepare $(SOURCE)) && exec $(MAKE) --no-print-directory --keep-going \
  --jobs=$(CORES) $$words STARTED=$$(date +%s)

# papermill's own command line on a notebook, into a folder, with a file of parameters; a line when it
# ends. It runs in the background, so that the shell passes a signal on at once.
define run
trap 'kill $$job; wait $$job; echo "  interrupted  $(1)"; exit 130' INT TERM HUP; start=$$(date +%s); \
env OMP_NUM_THREADS=1 "$(PY)" -m study.run.papermill notebooks/$(1).ipynb $(2)/$(1).ipynb --kernel python3 \
  --cwd notebooks --no-progress-bar $(if $(3),--parameters_file "$(3)") > $(2)/$(1).log 2>&1 & job=$$!; \
wait $$job || { echo "  FAILED  $(1): $$(tail -n 1 $(2)/$(1).log)"; exit 1; }; \
printf '%6d s  %s\n' $$(($$(date +%s) - start)) $(1)
endef

OUT       ?= build/embedded
ALL       := $(basename $(notdir $(wildcard notebooks/[0-9]*.ipynb)))
ALL       := $(if $(filter build/check,$(OUT)),$(subst :, ,$(CHECKED)),$(ALL))
SLOWEST   := 62 60 13 63 65 20 61 31 23 33 12 64 32
ORDER     := $(foreach number,$(SLOWEST),$(filter $(number)-%,$(ALL)))
ORDER     += $(filter-out $(ORDER),$(ALL))
EXECUTED  := $(ORDER:%=$(OUT)/notebooks/%.ipynb)
WRITTEN   := $(ORDER:%=$(OUT)/written/%.txt)
TO        := $(if $(COMMIT),,$(OUT)/)
BOOK      := "$(PY)" docs/book/build.py $(OUT)/notebooks $(or $(TO),.) build/report $(if $(filter embedded,$(WMTLIB_SOURCE)),embedded,raw)
MINE      := $(filter build/mine,$(OUT))
ifneq ($(MINE)$(filter build/check,$(OUT)),)
export WMTLIB_OUTPUT := $(CURDIR)/$(OUT)
endif

executed: $(EXECUTED)
checked: $(EXECUTED)
	@$(STEP) check
finished: $(OUT)/reported
	@printf '\nReport:    %s\nTables:    %s\nFigures:   %s\nTook:      %d s\n' "$(CURDIR)/build/report/index.html" \
	  "$(CURDIR)/$(TO)results" "$(CURDIR)/$(TO)figures" $$(($$(date +%s) - $(STARTED)))
	@$(STEP) verdict
book:
	@$(BOOK) && echo build/report/index.html

# A notebook, and the list of the files that it wrote. With COMMIT it goes back to notebooks/ with
# its outputs; the copy in OUT stays the newer one. It gets its name last: whenever a run is killed, a
# notebook is in OUT and in notebooks/ as it was or whole. papermill ends a file without a line end.
$(OUT)/notebooks/%.ipynb $(OUT)/written/%.txt: notebooks/%.ipynb $(OUT)/inputs $(if $(FORCE),always)
	@mkdir -p $(OUT)/notebooks $(OUT)/written $(OUT)/running
	@rm -f $(OUT)/notebooks/$*.ipynb; : > $(OUT)/written/$*.txt
	@export WMTLIB_WRITTEN="$(CURDIR)/$(OUT)/written/$*.txt"; $(call run,$*,$(OUT)/running,$(if $(MINE),$(PARAMS)))
	@echo >> $(OUT)/running/$*.ipynb
	@$(if $(COMMIT),cp $(OUT)/running/$*.ipynb $<.new && mv $<.new $<)
	@mv $(OUT)/running/$*.ipynb $(OUT)/notebooks/ && touch $(OUT)/notebooks/$*.ipynb $(OUT)/written/$*.txt
# What 20 has measured is not measured again.
$(OUT)/notebooks/23-which-model.ipynb: $(OUT)/notebooks/20-perplexity.ipynb

$(OUT)/scored: $(EXECUTED) $(WRITTEN)
	@$(STEP) scores $(WRITTEN)
	@touch $@

$(OUT)/reported: $(OUT)/scored $(if $(wildcard build/report/index.html),,always)
	@$(BOOK)
	@rm -f build/*/reported; touch $@

# What every notebook rests on: data, packages, published numbers, lock file, parameters. A file that
# changes with their contents, not with their dates.
$(OUT)/inputs: always
	@mkdir -p $(OUT)
	@(echo "$(WMTLIB_SOURCE) $(DATA)"; $(if $(MINE),cat "$(PARAMS)";) find wmtlib study data requirements.lock -type f ! -name '*.pyc' \
	  | LC_ALL=C sort | xargs cksum) > $@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi
