/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/*
 * Detection of hangs. In each process a thread checks whether the process makes
 * progress. After `watchdog` seconds without progress, it reports to process 0
 * over a connection beside MPI. Process 0 asks all processes, names the process
 * that all wait for (hpl/pauxil/hang.h stores the result), and ends the job
 * after `hang` seconds. If a process ends without a message, process 0 sees its
 * connection close.
 */

/*
 * Start the thread of this process, with its settings; collective over
 * MPI_COMM_WORLD. Without connections each process reports only on itself.
 * Order: once MPI allows further threads
 */
void hyb_hang_open(void);

/*
 * Until close, this process reports on itself after `patience` seconds without
 * progress; never if `patience` is 0. Order: before hyb_hang_open
 */
void hyb_hang_open_alone(int rank, double patience);

/* Say goodbye to the other processes, if there are any, and stop the thread. */
void hyb_hang_close(void);
