/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/*
 * Install the threaded solver on the job's processes, without devices, with
 * settings, "name=value" each, separated by blanks; all others have their
 * defaults. Collective.
 */
void solver_open(const char *settings);

/*
 * The same with emulated devices of 16 MiB, so many on this process, whatever
 * others have. All processes are on one node.
 */
void solver_open_with_devices(int count, const char *settings);
void solver_close(void);

/*
 * A case: solve combinations with these settings, so many devices on this
 * process, and each look-ahead in turn; every process fails if one does.
 */
struct combinations; /* combinations.h */
void solver_solve(int devices, const struct combinations *of);
