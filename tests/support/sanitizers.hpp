// SPDX-License-Identifier: Apache-2.0
//
// GYM_TELEMETRY_SANITIZED is defined in a build with a sanitizer, whose own bookkeeping counts as
// the program's memory. Only bounds of memory may depend on it. GYM_TELEMETRY_THREAD_SANITIZED is
// ThreadSanitizer alone, which loses a thread's state before its last key destructors run.
#pragma once

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define GYM_TELEMETRY_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define GYM_TELEMETRY_SANITIZED 1
#endif
#if __has_feature(thread_sanitizer)
#define GYM_TELEMETRY_THREAD_SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define GYM_TELEMETRY_THREAD_SANITIZED 1
#endif
