/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include "base/status.h"

/* Settings of checkpoints. */

/* Check the settings. Errors: XH_ERR_INPUT, logged */
xh_status_t hyb_checkpoint_check_settings(void);

/* Is --checkpoint or --restart set? */
bool hyb_checkpoint_are_asked(void);

/* Return the seconds between checkpoints. */
double hyb_checkpoint_every(void);

/* Convert "30m" or "90s" to seconds; a number alone counts seconds. False if
 * `text` is no duration above 0. */
bool hyb_read_duration(const char *text, double *seconds_p);
