# SPDX-License-Identifier: BSD-3-Clause
#
# Benchmarks; included by the Makefile.

## bench-hpl: speed at N = 10000, beside BASELINE=<an xhpl> if given
bench-hpl: build
	@bench/hpl '$(BINdir)' $(BASELINE)

## bench-homes: a modelled fast device, with all, half or none of the matrix on it
bench-homes: build
	@bench/homes '$(BINdir)'

ifeq ($(HYBRID),yes)
## bench-dgemm: DGEMM of cores, devices and both, beside the BLAS libraries
## bench-host: the solver on cores alone, beside goals and BASELINE=<an xhpl>
## bench-gpu: a GPU's first minutes: what it is, right, fast
## bench-opencl: DGEMM on a device of OpenCL, beside CLBlast and OpenBLAS
## bench-plan: predictions beside runs, on every grid of two
bench-dgemm bench-gpu bench-host bench-plan bench-opencl: \
  bench-%: build tools
	@bench/$* '$(BINdir)' $(BASELINE)
endif

.PHONY: bench-hpl bench-homes bench-dgemm bench-gpu bench-host bench-plan bench-opencl
