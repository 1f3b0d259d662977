// SPDX-License-Identifier: Apache-2.0
#include "health/model_chains.hpp"

namespace gym::telemetry::health {

std::vector<model_chain> model_chains(const trajectory_facts& facts, key_index& keys) {
    std::vector<model_chain> chains;
    keys.clear();
    for (std::uint32_t position = 0; position < facts.calls.size(); ++position) {
        const model_call& call = facts.calls[position];
        const auto same = [&](std::uint32_t other) {
            return chains[other].model_name == call.model_name;
        };
        const auto added = static_cast<std::uint32_t>(chains.size());
        std::uint32_t index = keys.find_or_add(text_hash(call.model_name.text), added, same);
        if (index == key_index::none) {
            index = added;
            chains.push_back({.model_name = call.model_name, .last = position});
        }
        model_chain& chain = chains[index];
        ++chain.calls;
        chain.failed += call.failed ? 1 : 0;
        chain.successful += call.successful ? 1 : 0;
        chain.all_started = chain.all_started && call.started_at.has_value();
        if (!(call.started_at.value_or(0) < facts.calls[chain.last].started_at.value_or(0)))
            chain.last = position;
    }
    return chains;
}

bool ended_on_failure(const model_chain& chain, const trajectory_facts& facts) {
    if (chain.failed == 0) return false;
    if (chain.failed == chain.calls) return true;
    return chain.all_started && facts.calls[chain.last].failed;
}

}  // namespace gym::telemetry::health
