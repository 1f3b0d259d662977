// SPDX-License-Identifier: Apache-2.0
//
// Everything a gym needs to record: the handle, the recorders, their constants and gates.
#pragma once

#include <gym/telemetry/bound.hpp>
#include <gym/telemetry/collection.hpp>
#include <gym/telemetry/constants.hpp>
#include <gym/telemetry/diagnostics.hpp>
#include <gym/telemetry/gates.hpp>
#include <gym/telemetry/lifecycle.hpp>
#include <gym/telemetry/observable.hpp>
#include <gym/telemetry/options.hpp>
#include <gym/telemetry/recorders.hpp>
#include <gym/telemetry/stopwatch.hpp>
