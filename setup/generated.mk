# SPDX-License-Identifier: BSD-3-Clause
#
# Files that the build writes for itself; included by the Makefile.

# The rows of all settings, in the order of --help; base/settings.h says how.
SETTINGS := $(wildcard $(addsuffix /settings.def,testing/ptest hpl hybrid/lu \
              hybrid/lu/checkpoint hybrid/lu/guard hybrid/observe hybrid/plan \
              hybrid/cpu hybrid/device \
              $(sort $(wildcard hybrid/device/*))))
$(BUILD)/settings/settings_table.def: FORCE
	@mkdir -p $(@D)
	@for folder in $(patsubst %/settings.def,%,$(SETTINGS)); do \
	    printf '#define XH_SETTING_FOLDER "%s"\n#include "%s/settings.def"\n%s\n' \
	        $$folder $$folder '#undef XH_SETTING_FOLDER'; done > $@.new
	@if cmp -s $@.new $@; then rm -f $@.new; else mv -f $@.new $@; fi

$(OBJ)/base/settings.o: private XH_FIRST += -I$(BUILD)/settings
$(OBJ)/base/settings.o: $(BUILD)/settings/settings_table.def

# What a record says of the program; changes only when that does.
DESCRIBE = git --no-optional-locks describe --always --dirty 2>/dev/null
REVISION := $(strip $(or $(if $(wildcard .git),$(shell $(DESCRIBE))),unknown))
$(BUILD)/facts/facts.h: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' '#define XH_REVISION "$(REVISION)"' > $@.new
	@printf '%s\n' '$(subst ','\'',$(COMPILE))' | \
	    sed 's/[\\"]/\\&/g; s/.*/#define XH_COMPILE "&"/' >> $@.new
	@if cmp -s $@.new $@; then rm -f $@.new; else mv -f $@.new $@; fi

$(OBJ)/testing/ptest/record_program.o: private XH_FIRST += -I$(BUILD)/facts
$(OBJ)/testing/ptest/record_program.o: $(BUILD)/facts/facts.h

# A BLAS with 64-bit integers would compute nonsense: it is refused here.
$(BUILD)/blas-checked: $(OBJ)/setup/blas-check.o $(HPLlib) $(MORE_OBJECTS) \
                       setup/blas-check
	@RUN='$(EMULATOR)' setup/blas-check $(BUILD)/blas-check \
	    '$(subst ','\'',$(LINK)) $<' '$(LIBS_OF_XHPL)'
	@touch $@
