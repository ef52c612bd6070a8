/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>
#include "hpl_types.h"
#include "hybrid/cpu/isa/kernel.h"
#include "hybrid/device/machine.h"

/* Faults that happen once in a run, on one process. */
typedef enum { FAULT_NO_BITS, FAULT_SINGLE, FAULT_SEVERAL } fault_bits_t;

typedef enum {
    FAULT_NOWHERE,
    FAULT_C,             /* a tile of C, before it is updated */
    FAULT_REGISTER,      /* what the kernel computed of C */
    FAULT_U,             /* packed U, as the kernel reads it */
    FAULT_L2,            /* a tile of L2, likewise */
    FAULT_SOLVE,         /* what the kernel solved of U */
    FAULT_ELIMINATE,     /* what the kernel computed of a panel */
    FAULT_MEMORY,        /* any element of the local matrix */
    FAULT_MESSAGE,       /* a message of doubles, as it is sent */
    FAULT_DEVICE,        /* what an emulated device computed, or copied */
    FAULT_DEVICE_MEMORY, /* anywhere in its memory */
    FAULT_PLACES
} fault_place_t;

typedef struct {
    fault_place_t where;
    fault_bits_t bits;
    int rank, device; /* -1: cores */
    double when;      /* 0 .. 1: of the calls that a clean run makes */
    uint64_t random;
} fault_t;

/* Number i of the sequence, on one of so many processes; with so many devices
 * on each every other one is a device's. */
fault_t fault_draw(uint64_t number, fault_bits_t bits, int processes,
                   int devices);
const char *fault_name(const fault_t *fault);

/* The kernel, whose functions make the fault. */
const hyb_kernel_t *fault_kernel(const hyb_kernel_t *kernel);

/* Devices of the machine, which are emulated, make it, too. */
void fault_devices(hyb_machine_t *machine);

/* Some of count numbers are wrong, as the fault says. */
void fault_spoil(double *data, int64_t count);

/* Is it this work of device that the fault happens in, or in none? */
fault_place_t fault_of_device(int device);

/* Between these it happens; the first run counts the calls, without one. */
void fault_begin(const fault_t *fault, const HPL_T_pmat *mat);
void fault_end(void);

/* How often it did, here. */
int fault_happened(void);

/* After which operation of a device it did; -1: of none, here. */
int fault_operation(void);

/* The receiver of the message that was wrong; -1: none was wrong here. */
int fault_receiver(void);
