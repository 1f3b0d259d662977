// SPDX-License-Identifier: Apache-2.0
//
// Instruments that somebody else in the process owns: a generation that has a sink keeps no cells,
// every record goes the long way and ends there.
#pragma once

#include "engine/instrument_row.hpp"
#include "engine/observables.hpp"

#include <cstdint>
#include <memory>
#include <string_view>

namespace gym::telemetry::engine {

// One value on its way to an instrument.
struct measurement {
    std::int64_t integer = 0;  // sum: what to add; ratio: 1 or 0 for the numerator
    double real = 0;           // histogram, last_value
};

// Where the records go. Any thread, no lock held. May throw; that record is lost and counted
// nowhere.
class foreign_sink {
public:
    virtual ~foreign_sink() = default;
    // `values` follow the rules for values, one an attribute of the row.
    virtual void record(instrument_id id, const instrument_row& row, const std::string_view* values,
                        measurement what) = 0;
    // A callback was registered for this row, the only one of the generation. `ask` calls it: what
    // it observes follows the rules for values, each series once. A callback that throws or was
    // taken back observes nothing; `ask` itself throws bad_alloc only.
    virtual void observe(instrument_id id, const instrument_row& row,
                         std::shared_ptr<observable> ask) = 0;
};

class generation;

// What a sink is given for the callback that `source` has for this row.
std::shared_ptr<observable> foreign_observable(const std::shared_ptr<generation>& source,
                                               instrument_id id);

}  // namespace gym::telemetry::engine
