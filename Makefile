# Everything a person runs by hand. `make test` is what continuous integration runs.

DATA ?= ../shared/data
FUZZ_RUNS ?= 20000
FUZZ_SEED ?= 1
FUZZ_TARGETS := fen pgn epd pdn

# The tests run under cargo-nextest where it is present; documentation tests always under cargo.
TEST := $(if $(shell cargo nextest --version 2>/dev/null),cargo nextest run --workspace --no-fail-fast,cargo test --workspace --lib --bins --tests)

.PHONY: help test format lint engines broker tables page unit page-test fuzz bench perft-full games-full oracle-full faults-full kills-full \
	lab-full grid-full serve-full engines-full attack v3 ladder

help: ## list the targets
	@grep -E '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/:/'

test: format lint engines broker tables page unit page-test fuzz ## all checks and tests, installing what they need

format: ## check the formatting
	cargo fmt --all --check

lint: ## clippy, warnings denied
	cargo clippy --workspace --all-targets --locked -- -D warnings

# The tests play Debian's engines against each other, and the benches run beside its Ethereal. Elsewhere these tests are ignored.
TEST_ENGINES := stockfish ethereal-chess toga2 gnuchess
engines: ## install the engines that tests and benches play against
	@for engine in $(TEST_ENGINES); do \
		test -x /usr/games/$$engine || missing="$$missing $$engine"; \
	done; \
	if test -n "$$missing"; then \
		if ! command -v apt-get >/dev/null; then echo "engines: skipped, because there is no apt-get"; \
		else as_root=$$(test "$$(id -u)" = 0 || echo sudo); \
			$$as_root apt-get update -qq && $$as_root apt-get install -y -qq --no-install-recommends $$missing; fi; \
	fi

# The tests of the grid start a broker of their own. Elsewhere they are ignored.
broker: ## install the NATS broker that tests of the grid use
	@if test ! -x /usr/sbin/nats-server && test ! -x /usr/bin/nats-server && test ! -x /usr/local/bin/nats-server; then \
		if ! command -v apt-get >/dev/null; then echo "broker: skipped, because there is no apt-get"; \
		else as_root=$$(test "$$(id -u)" = 0 || echo sudo); \
			$$as_root apt-get update -qq && $$as_root apt-get install -y -qq --no-install-recommends nats-server; fi; \
	fi

# Syzygy tables of up to four pieces come with the sources of the Python package `chess`. Without them their tests are ignored.
export GAMETE_SYZYGY ?= $(CURDIR)/target/syzygy
tables: ## fetch endgame tables for the tests
	@if test ! -e $(GAMETE_SYZYGY); then \
		download=$$(mktemp -d) && \
		python3 -m pip download -q --no-deps --no-binary :all: -d $$download chess==1.11.2 && \
		tar -xzf $$download/chess-*.tar.gz -C $$download && \
		mkdir -p $(dir $(GAMETE_SYZYGY)) && \
		mv $$download/chess-*/data/syzygy/regular $(GAMETE_SYZYGY) && rm -r $$download || \
		echo "tables: skipped, because pip cannot fetch them"; \
	fi

# The built page is committed, so that only those who change it need Node. What is built here must be what is committed.
page: ## check and build the dashboard's page, where there is Node
	@if ! command -v npm >/dev/null; then echo "page: skipped, because there is no npm"; \
	elif ! (cd web && npm ci --silent); then rm -rf web/node_modules; echo "page: skipped, because npm cannot install what it takes"; \
	else cd web && npm run --silent check && npm run --silent build && \
		if test -n "$$(git status --porcelain -- ../crates/gamete-web/dist)"; then \
			git status --short -- ../crates/gamete-web/dist; \
			echo "page: crates/gamete-web/dist is not what web/ builds: commit it with what you changed"; exit 1; fi; \
	fi

# Debian's Chromium drives the page on the real server, which is the program that the tests were built with: alone, it would be built anew.
page-test: page ## drive the page in a browser
	@if test ! -x /usr/bin/chromium && command -v apt-get >/dev/null; then \
		as_root=$$(test "$$(id -u)" = 0 || echo sudo); \
		$$as_root apt-get update -qq && $$as_root apt-get install -y -qq --no-install-recommends chromium; \
	fi; \
	if test ! -d web/node_modules; then echo "page-test: skipped, because the page's packages are not installed"; \
	elif test ! -x /usr/bin/chromium; then echo "page-test: skipped, because there is no Chromium"; \
	else cargo test --workspace --no-run --locked --quiet && cd web && GAMETE=$(CURDIR)/target/debug/gamete npm run --silent test; fi

# The last lines name the tests that were ignored because something they need is not here, with what that is.
unit: ## unit, integration and documentation tests
	$(TEST) --locked
	cargo test --workspace --doc --locked
	@cargo test -q --locked --workspace --test access --test broker --test brokers --test corpora --test engines --test grid --test outages --test parts \
		--test system --test tables --test trust --test known \
		-- --list --ignored 2>&1 | grep '^ignored: ' || echo "no test was ignored for want of data, engines, a broker, tables or a facility of the system"

# The same inputs every time; FUZZ_SEED=0 looks for new ones. libFuzzer needs a nightly compiler; without one the same checks run on damaged seeds in tests/seeds.rs.
fuzz: ## a short run of each fuzz target, where the toolchain allows it
	@if cargo +nightly --version >/dev/null 2>&1; then \
		cargo fuzz --version >/dev/null 2>&1 || cargo install --locked cargo-fuzz || exit 1; \
		for target in $(FUZZ_TARGETS); do \
			mkdir -p fuzz/corpus/$$target; \
			cargo +nightly fuzz run $$target fuzz/corpus/$$target fuzz/seeds/$$target -- \
				-runs=$(FUZZ_RUNS) -seed=$(FUZZ_SEED) -verbosity=0 || exit 1; \
		done; \
	else echo "fuzz: skipped, because there is no nightly toolchain"; fi

bench: ## speed, as ratios in one run
	cargo build --release -p gamete-arena --bin random-mover
	cargo bench --bench ratios --bench engine --bench matches

perft-full: ## every published perft count, about a quarter of an hour on two cores
	cargo run --release --locked -- perft --suite $(DATA)/perft/*.epd

games-full: ## 10,000 games of each game against itself, and 200 against Stockfish
	GAMETE_GAMES=10000 cargo test --release --locked -p gamete-arena --test self_play
	GAMETE_GAMES=200 cargo test --release --locked -p gamete --test engines -- games_against_stockfish

oracle-full: ## the exact techniques against minimax to depth 4 on all 2,000 chess positions
	GAMETE_FULL=1 cargo test --release --locked -p gamete-engine --test oracle

faults-full: ## 500 games with each engine that fails: crashes, hangs, late and wrong answers, floods, and so on
	cargo build --release --locked -p gamete-arena --bins
	GAMETE_FULL=1 cargo test --release --locked -p gamete --test faults -- --nocapture --test-threads 1

kills-full: ## 50 kills of a match of 400 games, which comes out as if there had been none
	GAMETE_FULL=1 cargo test --release --locked -p gamete --test match_ -- --nocapture killed

lab-full: ## 100 kills of experiments, which come out as if there had been none
	GAMETE_FULL=1 cargo test --release --locked -p gamete --test evolve -- --nocapture kills

grid-full: broker ## 100 kills of coordinators, workers and brokers around an evolution and a tune
	GAMETE_FULL=1 cargo test --release --locked -p gamete --test grid -- --nocapture kills

serve-full: ## the dashboard with clients that are slow, send too much or nonsense, and `bench serve` with 10,000 connections
	cargo test --release --locked -p gamete-web --test hostile -- --ignored
	cargo build --release --locked -p gamete
	target/release/gamete bench serve --load 60
	@if command -v schemathesis >/dev/null; then crates/gamete-web/schemathesis/run.sh; else echo "serve-full: pip install schemathesis for ten minutes of it"; fi

engines-full: engines ## 100 games of Stockfish against Toga and GNU Chess each, at a second a game, without a fault
	GAMETE_FULL=1 cargo test --release --locked -p gamete --test engines -- --test-threads 1

ATTACK_SECONDS ?= 3600
attack: ## an hour of signals, damaged files and hostile engines; ATTACK_SEED=N for other ones
	cargo build --release --locked --workspace --bins
	GAMETE_ATTACK=$(ATTACK_SECONDS) GAMETE_SEED=$(or $(ATTACK_SEED),1) cargo test --release --locked --workspace --test attack -- --nocapture --test-threads 8

# ladder/ladder.sh says what else can be set.
export PLAYER ENGINES TC GAMES CONCURRENCY OPENINGS ANCHOR SEED STOCKFISH_NODES
ladder: ## a player against Debian's engines, with one rating table: PLAYER="a.toml chess/classic" ENGINES= TC=2+0.02 GAMES=200
	cargo build --release --locked -p gamete
	GAMETE=$(CURDIR)/target/release/gamete ladder/ladder.sh

v3: ## a binary for processors of 2013 and later (x86-64-v3), in target/v3/release
	RUSTFLAGS="-C target-cpu=x86-64-v3" cargo build --release --locked --target-dir target/v3
