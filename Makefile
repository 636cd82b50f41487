# `make help` lists the targets. Everything that is made goes below build/.
#
# Another compiler or other flags make everything anew; to keep both, give each a BUILD of its own:
#	make BUILD=build/clang CC=clang
BUILD ?= build
PREFIX ?= /usr/local
CFLAGS ?= -O2 -g
WARN = -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wundef
ALL_CFLAGS = -std=gnu17 -D_GNU_SOURCE -Isrc $(WARN) $(CFLAGS) $(EXTRA_CFLAGS)
ALL_LDFLAGS = -Wl,--as-needed $(LDFLAGS)
LIBS = -lsqlite3 -lzstd -lpthread -lm

SANITIZE = -O1 -g -fno-omit-frame-pointer -fno-sanitize-recover=all -fsanitize=address,undefined
FUZZ_SECONDS ?= 30

SOURCES := $(sort $(wildcard src/*/*.c))
OBJECTS := $(SOURCES:%.c=$(BUILD)/%.o)
TESTS := $(patsubst %.c,$(BUILD)/%,$(sort $(wildcard src/*/tests/test_*.c)))
FUZZERS := $(patsubst %.c,$(BUILD)/%,$(sort $(wildcard src/*/tests/fuzz_*.c)))
JOBS = $(if $(findstring -j,$(MAKEFLAGS)),,-j$(shell nproc))

all: $(BUILD)/sonde ## build build/sonde

install: all ## install below PREFIX (/usr/local), and DESTDIR before it
	install -D -m 755 $(BUILD)/sonde $(DESTDIR)$(PREFIX)/bin/sonde
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/doc/sonde README.md CHANGELOG.md LICENSE
	rm -rf $(BUILD)/man
	$(BUILD)/sonde help --man $(BUILD)/man
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/man/man1 $(BUILD)/man/*
	$(BUILD)/sonde completion bash >$(BUILD)/sonde.bash
	install -D -m 644 $(BUILD)/sonde.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/sonde
	$(BUILD)/sonde completion zsh >$(BUILD)/_sonde
	install -D -m 644 $(BUILD)/_sonde $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_sonde
	$(BUILD)/sonde completion fish >$(BUILD)/sonde.fish
	install -D -m 644 $(BUILD)/sonde.fish $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/sonde.fish

demo: ## install what is missing, build, measure an example, show the result
	@tools/setup build
	@$(MAKE) --no-print-directory -s $(JOBS) $(BUILD)/sonde $(BUILD)/examples/fit
	@BUILD=$(BUILD) tools/demo

check: ## install what is missing, run all tests (UPDATE=1 rewrites expected output)
	@tools/setup check
	@$(MAKE) --no-print-directory -s $(JOBS) all build-tests
	@BUILD=$(BUILD) UPDATE=$(UPDATE) tools/check units command harm truth

check-units: build-tests ## only the unit tests
	@BUILD=$(BUILD) tools/check units

check-command: all ## only the tests of whole commands
	@BUILD=$(BUILD) UPDATE=$(UPDATE) tools/check command

check-asan: ## unit and command tests with the address and undefined-behaviour sanitizers
	@tools/setup check asan
	@$(MAKE) --no-print-directory -s $(JOBS) BUILD=build/asan CFLAGS='$(SANITIZE)' all build-tests
	@BUILD=build/asan tools/check units command

# A child of a process with threads may start threads of its own here: die_after_fork=0.
check-tsan: ## unit tests of what has threads, with the thread sanitizer
	@tools/setup check asan
	@$(MAKE) --no-print-directory -s $(JOBS) BUILD=build/tsan CFLAGS='-O1 -g -fsanitize=thread' build-tests
	@TSAN_OPTIONS='die_after_fork=0 halt_on_error=1' BUILD=build/tsan tools/check units:series

lint: ## layers, headers, format, warnings of gcc and clang, clang-tidy, shellcheck
	@tools/setup lint
	@tools/lint
	@$(MAKE) --no-print-directory -s $(JOBS) BUILD=build/lint-gcc CC=gcc EXTRA_CFLAGS=-Werror all build-tests
	@$(MAKE) --no-print-directory -s $(JOBS) BUILD=build/lint-clang CC=clang EXTRA_CFLAGS=-Werror all build-tests
	@echo "lint: nothing found"

fuzz: ## fuzz every parser, FUZZ_SECONDS each (30)
	@tools/setup fuzz
	@$(MAKE) --no-print-directory -s $(JOBS) BUILD=build/fuzz CC=clang \
		CFLAGS='$(SANITIZE) -fsanitize=fuzzer-no-link' build-fuzzers
	@BUILD=build/fuzz FUZZ_SECONDS=$(FUZZ_SECONDS) tools/fuzz

bench: ## what sonde costs, beside its peers, as ratios (BENCH=--quick: below two minutes)
	@tools/setup bench
	@$(MAKE) --no-print-directory -s $(JOBS) all
	@BUILD=$(BUILD) $$(tools/python) tests/bench/bench $(BENCH)

captures: ## the pictures of docs/pictures anew, from real terminals
	@tools/setup captures
	@$(MAKE) --no-print-directory -s $(JOBS) $(BUILD)/sonde $(BUILD)/examples/fit
	@BUILD=$(BUILD) python3 tools/captures

format: ## let clang-format settle the layout
	@tools/setup format
	@git ls-files --cached --others --exclude-standard '*.c' '*.h' | xargs clang-format -i

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1|\2/p' $(firstword $(MAKEFILE_LIST)) | \
		while IFS='|' read -r name text; do printf '  make %-14s %s\n' "$$name" "$$text"; done

clean: ## remove build/
	rm -rf build

build-tests: $(TESTS)
build-fuzzers: $(FUZZERS)

$(BUILD)/sonde: $(OBJECTS) $(BUILD)/list
	$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $(OBJECTS) $(LIBS)

$(BUILD)/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

# Tests link with everything but main().
$(BUILD)/libsonde.a: $(OBJECTS) $(BUILD)/list
	@rm -f $@
	ar rcs $@ $(filter-out %/cmd/main.o,$(OBJECTS))

$(TESTS): $(BUILD)/%: %.c $(BUILD)/libsonde.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -MMD -MP $(ALL_LDFLAGS) -o $@ $< $(BUILD)/libsonde.a -lcmocka $(LIBS)

$(FUZZERS): $(BUILD)/%: %.c $(BUILD)/libsonde.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -fsanitize=fuzzer -MMD -MP $(ALL_LDFLAGS) -o $@ $< $(BUILD)/libsonde.a $(LIBS)

$(BUILD)/examples/%: examples/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -o $@ $< -lm

# Two files that change only when the flags, or the list of sources, do. Written while make reads
# this, so that a second `make` has nothing to do.
FLAGS := $(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS)
ifneq ($(file <$(BUILD)/flags),$(FLAGS))
$(shell mkdir -p $(BUILD))
$(file >$(BUILD)/flags,$(FLAGS))
endif
ifneq ($(file <$(BUILD)/list),$(SOURCES))
$(shell mkdir -p $(BUILD))
$(file >$(BUILD)/list,$(SOURCES))
endif
$(BUILD)/flags $(BUILD)/list: ;

-include $(OBJECTS:.o=.d) $(TESTS:=.d) $(FUZZERS:=.d)
.PHONY: all install demo check check-units check-command check-asan check-tsan lint fuzz bench captures \
	format help clean build-tests build-fuzzers
.DELETE_ON_ERROR:
