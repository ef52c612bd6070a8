/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XDG_INTERRUPTION_H
#define XDG_INTERRUPTION_H

/*
 * Let SIGINT and SIGTERM end a run early: the first one is only noted, a second
 * one ends the process at once. Launchers send a signal more than once: signals
 * within half a second count as one. A signal that is ignored stays ignored.
 */
void xdg_interruption_watch(void);

/* The signal that was noted; 0: none. */
int xdg_interruption(void);

#endif
