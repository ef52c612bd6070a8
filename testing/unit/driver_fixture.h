/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DRIVER_FIXTURE_H
#define DRIVER_FIXTURE_H

/*
 * Install the threaded solver on the job's processes, without devices, with
 * settings, "name=value" each, separated by blanks; all others have their
 * defaults. Collective.
 */
void driver_open(const char *settings);

/*
 * The same with emulated devices of 16 MiB, so many on this process, whatever
 * others have. All processes are on one node.
 */
void driver_open_with_devices(int count, const char *settings);
void driver_close(void);

/* Change settings while it is installed; what belongs to opening stays. */
void driver_set(const char *settings);

#endif
