/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XHPL_SETTINGS_SHARE_H
#define XHPL_SETTINGS_SHARE_H

/*
 * Give every process of MPI_COMM_WORLD the settings of process 0, whatever its
 * own environment says; collective.
 */
void xhpl_settings_share(void);

#endif
