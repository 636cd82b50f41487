# `make help` lists the targets.
CC ?= cc
BUILD ?= build
CFLAGS ?= -O2 -g
WARN = -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wundef
ALL_CFLAGS = -std=gnu17 -D_GNU_SOURCE -Isrc $(WARN) $(CFLAGS) $(EXTRA_CFLAGS)
LIBS = -lsqlite3 -lzstd -lpthread -lm

SOURCES := $(wildcard src/*/*.c)
OBJECTS := $(SOURCES:%.c=$(BUILD)/%.o)
TESTS := $(patsubst src/%.c,$(BUILD)/src/%,$(wildcard src/*/tests/test_*.c))

$(BUILD)/sonde: $(OBJECTS)
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

# A unit test links with everything but main().
$(BUILD)/src/%: src/%.c $(OBJECTS)
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -MMD -MP $(LDFLAGS) -o $@ $< $(filter-out %/cmd/main.o,$(OBJECTS)) -lcmocka $(LIBS)

check-units: $(TESTS)
	@for t in $(TESTS); do $$t || exit 1; done

-include $(OBJECTS:.o=.d) $(TESTS:=.d)
.PHONY: check-units
