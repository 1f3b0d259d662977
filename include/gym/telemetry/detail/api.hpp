// SPDX-License-Identifier: Apache-2.0
// What the shared library exports. Everything else in it is hidden.
#pragma once

#define GYM_TELEMETRY_API __attribute__((visibility("default")))
