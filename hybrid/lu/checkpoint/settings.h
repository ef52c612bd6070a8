/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include "base/status.h"

/* What the settings ask of checkpoints. */

/* Do they make sense? Errors: XH_ERR_INPUT  said */
xh_status_t hyb_checkpoint_check_settings(void);

/* Is there --checkpoint or --restart? */
bool hyb_checkpoint_are_asked(void);

/* Seconds from one to the next. */
double hyb_checkpoint_every(void);

/* "30m" or "90s" as seconds; a number alone counts seconds. False: it is none,
 * or not above 0. */
bool hyb_read_duration(const char *text, double *seconds_p);
