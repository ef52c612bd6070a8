/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/*
 * A job that hangs says who is waited for, and ends. A thread of each process
 * looks whether anything is finished. After `watchdog` seconds it tells process
 * 0, over a connection beside MPI; that one asks all others, names the one that
 * all wait for (hpl/pauxil/hang.h keeps it), and after `hang` seconds ends the
 * job. A process that ends without a word is noticed by its connection.
 */

/*
 * Begin, with the settings of this process; collective over MPI_COMM_WORLD.
 * Where there can be no connection, each process speaks for itself.
 * Order: once MPI allows further threads
 */
void hyb_hang_open(void);

/*
 * Until close this process says for itself that it stands still for patience
 * seconds; 0: it does not. Order: before open
 */
void hyb_hang_open_alone(int rank, double patience);

/* Part from the others, if there are any, and end. */
void hyb_hang_close(void);
