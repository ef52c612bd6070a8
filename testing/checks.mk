# SPDX-License-Identifier: BSD-3-Clause
#
# What is checked beside the tests: layers, headers, style, coverage, HPL 2.3's own
# tests; included by the Makefile.

## coverage: which lines of base, hpl and hybrid the tests run
coverage:
	@find build/gcov -name '*.gcda' -delete 2>/dev/null || true
	-@$(MAKE) arch=gcov suite
	@$(PYTHON) scripts/coverage build/gcov

## check-upstream: build UPSTREAM=<HPL 2.3>'s testing/ on this library, run it
check-upstream: $(HPLlib)
	@COMPILE='$(subst ','\'',$(COMPILE))' LINK='$(subst ','\'',$(LINK))' \
	    LIBS='$(LIBS_OF_XHPL)' scripts/check-upstream '$(UPSTREAM)' \
	    $(BUILD)/upstream

## check-layers: no include and no symbol runs upwards
check-layers: $(HPLlib)
	@scripts/check-layers '$(HPLlib)' $(BUILD)

## check-headers: every header compiles alone
check-headers: $(HEADERS:%=$(OBJ)/%.alone)

$(OBJ)/%.h.alone: %.h $(BUILD)/commands
	@mkdir -p $(@D)
	@echo '#include "$<"' | $(COMPILE) -Wall -Wextra -Werror -x c -c -MMD -MP \
	    -MT $@ -MF $(@:.alone=.d) -o $@ -

## check-style: what clang-format and shellcheck have to say
check-style:
	clang-format --dry-run -Werror $$(git ls-files '*.c' '*.h')
	shellcheck configure .ci/run $$(git ls-files packages scripts setup | \
	    xargs awk 'FNR == 1 && /^#!\/bin\/.*sh/ { print FILENAME }')

.PHONY: coverage check-upstream check-layers check-headers check-style
