#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
set -eu
./configure --prefix="$PREFIX" MPICC=mpicc CFLAGS="${CFLAGS-} -O3" \
    CPPFLAGS="${CPPFLAGS-}" LDFLAGS="${LDFLAGS-}" LIBS=-lblas
make -j"${CPU_COUNT-1}"
make check
make install
