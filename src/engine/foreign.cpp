// SPDX-License-Identifier: Apache-2.0
#include "engine/foreign.hpp"

#include "engine/threads.hpp"

#include <exception>
#include <map>
#include <new>
#include <string>
#include <vector>

namespace gym::telemetry::engine {

namespace {

// Collects what one callback says, so that one that throws half-way has said nothing. Two names may
// become one series, by the rules for values: their counts add up.
class gathered final : public observer {
public:
    gathered(const generation& source, instrument_id id) : source_(source), id_(id) {}

    void observe(const std::string_view* values, std::int64_t value) override {
        integers_[key(values)] += value;
    }
    void observe(const std::string_view* values, double value) override {
        reals_[key(values)] = value;
    }
    void drop(std::string_view reason) override { drop_record(id_, reason); }

    void hand_on(observer& to) const {
        const auto each = [&](const auto& series) {
            for (const auto& [values, value] : series) {
                const std::vector<std::string_view> views(values.begin(), values.end());
                to.observe(views.data(), value);
            }
        };
        each(integers_);
        each(reals_);
    }

private:
    std::vector<std::string> key(const std::string_view* values) const {
        normalized_values normal;
        source_.normalize(id_, values, normal);
        const std::size_t arity = source_.rows()[id_].attributes.size();
        return {normal.values.begin(), normal.values.begin() + static_cast<std::ptrdiff_t>(arity)};
    }

    const generation& source_;
    instrument_id id_;
    std::map<std::vector<std::string>, std::int64_t> integers_;
    std::map<std::vector<std::string>, double> reals_;
};

// Weak: the owner of the instrument may ask for as long as it likes.
class foreign_asker final : public observable {
public:
    foreign_asker(const std::shared_ptr<generation>& source, instrument_id id)
        : source_(source), id_(id) {}

    void call(observer& to) override {
        const std::shared_ptr<generation> source = source_.lock();
        if (source == nullptr || source != current_generation()) return;
        gathered seen(*source, id_);
        for (const auto& entry : source->observables().entries())
            if (entry.instrument == id_ && !call_one(*source, entry, seen)) return;
        seen.hand_on(to);
    }

private:
    bool call_one(generation& source, const observable_registry::entry& entry,
                  gathered& seen) const {
        try {
            source.observables().call(entry, seen);
            return true;
        } catch (...) {
            drop_record(id_, drop_reason::callback_failed);
            return false;
        }
    }

    std::weak_ptr<generation> source_;
    instrument_id id_;
};

}  // namespace

std::shared_ptr<observable> foreign_observable(const std::shared_ptr<generation>& source,
                                               instrument_id id) {
    return std::make_shared<foreign_asker>(source, id);
}

void generation::record_foreign(instrument_id id, const std::string_view* values,
                                measurement what) const {
    const instrument_row& row = options_.rows[id];
    foreign_sink& sink = *options_.foreign;
    normalized_values normal;
    options_.normalize(row, values, normal);
    for (std::size_t i = 0; normal.unknown >> i != 0; ++i)
        if (normal.unknown >> i & 1)
            sink.record(options_.self.unknown, options_.rows[options_.self.unknown],
                        &row.attributes[i].key, {.integer = 1});
    sink.record(id, row, normal.values.data(), what);
}

}  // namespace gym::telemetry::engine
