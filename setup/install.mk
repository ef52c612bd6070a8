# SPDX-License-Identifier: BSD-3-Clause
#
# Installing and packing; included by the Makefile.

prefix ?= /usr/local
exec_prefix ?= $(prefix)
bindir ?= $(exec_prefix)/bin
libdir ?= $(exec_prefix)/lib
includedir ?= $(prefix)/include
datarootdir ?= $(prefix)/share
docdir ?= $(datarootdir)/doc/xhpl
man1dir ?= $(datarootdir)/man/man1
completiondir ?= $(datarootdir)/bash-completion/completions
zshdir ?= $(datarootdir)/zsh/site-functions
fishdir ?= $(datarootdir)/fish/vendor_completions.d
INSTALL ?= install

# A page of the manual: name, what it is, the command whose words it has. A
# script without --help says it on top.
, := ,
MAN = $(3) | scripts/man-page $(1) '$(strip $(2))' > $(DESTDIR)$(man1dir)/$(1).1
HEAD = sed -n '4$(,)/^[^\#]/s/^\#[ ]*//p' scripts/$(1)

# Pages name commands of the tree: installed, they name what is installed.
PAGES = README.md $(wildcard docs/*.md examples/*.md)
AS_INSTALLED = sed -E -e 's@(\.\./)*scripts/mpirun@xhpl-mpirun@g' \
    -e 's@(\.\./)*scripts/(hpl-report|pack-submission|write-dat|xhpl-campaign|xhpl-check)\b@\2@g' \
    $(if $(wildcard $(SIM)),-e 's@(\.\./)*scripts/xhpl-sim\b@xhpl-sim@g') \
    -e 's@(\.\./)*bin/arch/(xhpl|xdgemm|xprobe)\b@\2@g'

## install: to prefix=/usr/local, below DESTDIR if given
install: build $(if $(wildcard $(SIM)),install-sim)
	$(INSTALL) -d $(DESTDIR)$(bindir) $(DESTDIR)$(libdir) \
	    $(DESTDIR)$(includedir) $(DESTDIR)$(docdir)/docs/images \
	    $(DESTDIR)$(man1dir) $(DESTDIR)$(libdir)/pkgconfig
	$(INSTALL) -m 755 $(XHPL) $(DESTDIR)$(bindir)/xhpl
	test -e $(DESTDIR)$(bindir)/HPL.dat || \
	    $(INSTALL) -m 644 $(BINdir)/HPL.dat $(DESTDIR)$(bindir)/HPL.dat
	$(INSTALL) -m 644 $(HPLlib) $(DESTDIR)$(libdir)/libhpl.a
	$(INSTALL) -m 644 $(filter-out %/hpl_solver.h, \
	    $(wildcard hpl/include/*.h)) $(DESTDIR)$(includedir)
	$(INSTALL) -m 644 $(wildcard LICENSE) $(DESTDIR)$(docdir)
	$(INSTALL) -m 644 $(wildcard docs/*.json) $(DESTDIR)$(docdir)/docs
	$(INSTALL) -m 644 $(wildcard docs/images/*) \
	    $(DESTDIR)$(docdir)/docs/images
	for file in $(wildcard examples/*.md examples/*/*.*); do \
	    $(INSTALL) -d $(DESTDIR)$(docdir)/$${file%/*}; \
	    $(INSTALL) $$file $(DESTDIR)$(docdir)/$$file; \
	done
	for page in $(PAGES); do \
	    rm -f $(DESTDIR)$(docdir)/$$page; \
	    $(AS_INSTALLED) $$page > $(DESTDIR)$(docdir)/$$page; \
	    chmod 644 $(DESTDIR)$(docdir)/$$page; \
	done
	$(INSTALL) -m 644 docs/xhpl.1 $(DESTDIR)$(man1dir)
	$(INSTALL) -m 755 $(XPROBE) scripts/write-dat scripts/xhpl-check \
	    $(DESTDIR)$(bindir)
	$(INSTALL) -m 755 scripts/mpirun $(DESTDIR)$(bindir)/xhpl-mpirun
	$(call MAN,hpl-report,a page about runs of xhpl,scripts/hpl-report --help)
	$(call MAN,xhpl-campaign,finds the slow$(,) wrong and dead nodes of a cluster, \
	    scripts/xhpl-campaign --help)
	$(call MAN,xprobe,what the cores of this machine can do,$(XPROBE) --help)
	$(call MAN,write-dat,an HPL.dat of one test,$(call HEAD,write-dat))
	$(call MAN,xhpl-check,does an installed xhpl compute right,$(call HEAD,xhpl-check))
	$(call MAN,pack-submission,packs what a submission asks for, \
	    scripts/pack-submission --help)
	$(call MAN,xhpl-mpirun,xhpl on this machine,$(call HEAD,mpirun) | \
	    sed 's/^mpirun/xhpl-mpirun/')
	sed -e 's|@prefix@|$(prefix)|' -e 's|@libdir@|$(libdir)|' \
	    -e 's|@includedir@|$(includedir)|' -e 's|@version@|$(VERSION)|' \
	    -e 's|@libs@|$(strip $(LAlib) $(LIBS) $(XH_LIBS))|' setup/xhpl.pc.in \
	    > $(DESTDIR)$(libdir)/pkgconfig/xhpl.pc
	$(INSTALL) -d $(DESTDIR)$(completiondir) $(DESTDIR)$(zshdir) $(DESTDIR)$(fishdir)
	for name in xhpl xdgemm xhpl-campaign hpl-report; do \
	    $(INSTALL) -m 644 setup/completion.bash $(DESTDIR)$(completiondir)/$$name; \
	    $(INSTALL) -m 644 setup/completion.fish $(DESTDIR)$(fishdir)/$$name.fish; \
	done
	$(INSTALL) -m 644 setup/completion.zsh $(DESTDIR)$(zshdir)/_xhpl
	scripts/install-report '$(DESTDIR)' '$(bindir)' '$(datarootdir)/xhpl'
	@echo "installed: programs in $(DESTDIR)$(bindir), pages in $(DESTDIR)$(docdir)"
	@case ":$$PATH:" in *':$(bindir):'*) ;; \
	*) echo 'to find them, add to ~/.profile: export PATH="$(bindir):$$PATH"' ;; \
	esac
	@echo 'to try them: xhpl-check'

## uninstall: remove what install puts there, but an HPL.dat that was changed
uninstall:
	rm -rf $(BUILD)/installed
	$(MAKE) install DESTDIR=$(abspath $(BUILD)/installed) >/dev/null
	@cd $(BUILD)/installed && find . -type f | while read -r file; do \
	    there=$(DESTDIR)/$${file#./}; \
	    case $$file in */HPL.dat) cmp -s "$$file" "$$there" || continue ;; esac; \
	    rm -f "$$there"; \
	done
	@cd $(BUILD)/installed && find . -depth -type d ! -path . -path '*xhpl*' | \
	    while read -r dir; do rmdir "$(DESTDIR)/$${dir#./}" 2>/dev/null || true; done
	rm -rf $(BUILD)/installed

## dist: dist/xhpl-<version>.tar.gz of what is committed
dist:
	@mkdir -p dist
	git archive --prefix=xhpl-$(VERSION)/ -o dist/xhpl-$(VERSION).tar.gz HEAD

## deb: install what is missing, make Debian's packages of what is committed, in dist/
deb: dist
	$(BOOTSTRAP) deb
	packages/build-deb dist/xhpl-$(VERSION).tar.gz dist

## site: install what is missing, make a web site of pages and manuals, in dist/site
site:
	$(BOOTSTRAP) site
	@$(MAKE) site-built

site-built: build
	scripts/make-site dist/site

## test-packages: what each recipe in packages/ does, in an empty Debian
RECIPES ?= deb rpm oci apptainer spack easybuild conda guix
test-packages: dist
	packages/try dist/xhpl-$(VERSION).tar.gz build/packages $(RECIPES)

ifeq ($(HYBRID),yes)
# Installed programs look in ../lib/xhpl, too.
install: install-hybrid
install-hybrid: build
	$(INSTALL) -d $(DESTDIR)$(bindir) $(DESTDIR)$(bindir)/../lib/xhpl
	$(if $(XDGEMM_BUILT),$(INSTALL) -d $(DESTDIR)$(man1dir); \
	    $(INSTALL) -m 755 $(XDGEMM) $(DESTDIR)$(bindir)/xdgemm; \
	    $(call MAN,xdgemm,products of matrices on cores and devices,$(XDGEMM) --help))
	$(INSTALL) -m 755 $(PLUGINS) $(DESTDIR)$(bindir)/../lib/xhpl

## bundle: dist/xhpl-<version>-<machine>.tar.gz, which runs where nothing is
bundle: build tools
	@bundle/make-bundle '$(BINdir)' xhpl-$(VERSION)-$(shell uname -m)
endif

.PHONY: install install-hybrid uninstall dist deb site site-built test-packages bundle
