# SPDX-License-Identifier: BSD-3-Clause
#
# LAinc and LAlib, where nothing set them: the first BLAS that pkg-config knows,
# else OpenBLAS by name.

BLAS_CHOICES ?= openblas blis mkl-dynamic-lp64-seq
BLAS_FOUND := $(firstword $(foreach b,$(BLAS_CHOICES), \
    $(shell $(PKG_CONFIG) --exists $(b) 2>/dev/null && echo $(b))))
ifeq ($(origin LAinc),undefined)
LAinc := $(if $(BLAS_FOUND),$(shell $(PKG_CONFIG) --cflags $(BLAS_FOUND)))
endif
ifeq ($(origin LAlib),undefined)
LAlib := $(if $(BLAS_FOUND),$(shell $(PKG_CONFIG) --libs $(BLAS_FOUND)),-lopenblas)
endif
