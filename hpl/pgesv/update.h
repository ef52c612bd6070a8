/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HPL_UPDATE_H
#define HPL_UPDATE_H

/* Columns that an update on several process rows exchanges at a time. */
int hpl_update_width(int jb, int nb);

#endif
