/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XDG_INTERRUPTION_H
#define XDG_INTERRUPTION_H

/*
 * Let SIGINT and SIGTERM end a run early: the first one is only noted, for
 * whoever asks; a second one ends the process at once. Launchers send the same
 * signal more than once: within half a second it is one. A signal that is
 * ignored stays so.
 */
void xdg_interruption_watch(void);

/* The signal that was noted; 0: none. */
int xdg_interruption(void);

#endif
