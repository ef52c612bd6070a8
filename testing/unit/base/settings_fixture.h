/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/settings.h"
#include "testing/unit/base/capture.h"
#include "testing/unit/unit.h"

/* A case that starts with an empty environment and the defaults, and leaves
 * them so. */
#define TEST_FRESH(name) TEST_WITH(name, settings_forget, settings_forget)
int settings_forget(void **state);
