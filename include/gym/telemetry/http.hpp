// SPDX-License-Identifier: Apache-2.0
//
// The instrumented HTTP connection pool: the client, the destination scope, and the observation of
// transfers that other curl code makes.
#pragma once

#include <gym/telemetry/http/client.hpp>
#include <gym/telemetry/http/destination.hpp>
#include <gym/telemetry/http/observe.hpp>
#include <gym/telemetry/http/request.hpp>
