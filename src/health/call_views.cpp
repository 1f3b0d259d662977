// SPDX-License-Identifier: Apache-2.0
#include "health/call_views.hpp"

namespace gym::telemetry::health {

namespace {

std::uint64_t response_hash(std::string_view model_name, std::string_view response_id) {
    return mix_hash(text_hash(model_name), text_hash(response_id));
}

// Null equals empty here; a model_ref with an empty name is still one.
bool same_reference(const call_reference& a, const call_reference& b) {
    return a.call_id.text == b.call_id.text && a.response_id.text == b.response_id.text &&
           a.model_name == b.model_name;
}

std::uint64_t reference_hash(const call_reference& reference) {
    return mix_hash(text_hash(reference.call_id.text),
                    response_hash(reference.model_name.text, reference.response_id.text));
}

}  // namespace

void call_views::clear() {
    for (call_view* view : {&turn_, &owned_}) {
        view->matched.clear();
        view->missing.clear();
        view->duplicated.clear();
        view->observed = false;
    }
    references_.clear();
}

void call_views::bind(const trajectory_facts& facts) {
    clear();
    seen_.clear();
    gather(facts.turn_references);
    const std::size_t turn_count = references_.size();
    gather(facts.invocation_references);
    index_calls(facts);
    for (resolved_reference& entry : references_) resolve(facts, entry);
    build(turn_count, facts, turn_);
    build(references_.size(), facts, owned_);
}

void call_views::gather(const std::vector<call_reference>& references) {
    for (const call_reference& reference : references) {
        const auto same = [&](std::uint32_t other) {
            return same_reference(references_[other].reference, reference);
        };
        const auto position = static_cast<std::uint32_t>(references_.size());
        if (seen_.find_or_add(reference_hash(reference), position, same) == key_index::none)
            references_.push_back({reference});
    }
}

void call_views::index_calls(const trajectory_facts& facts) {
    by_id_.clear();
    by_response_.clear();
    response_hits_.assign(facts.calls.size(), 0);
    for (std::uint32_t position = 0; position < facts.calls.size(); ++position) {
        const model_call& call = facts.calls[position];
        if (!call.call_id.empty()) by_id_.add(text_hash(call.call_id.text), position);
        if (!call.model_name.present || call.response_id.empty()) continue;
        const auto same = [&](std::uint32_t other) {
            return facts.calls[other].model_name == call.model_name &&
                   facts.calls[other].response_id == call.response_id;
        };
        const std::uint32_t first = by_response_.find_or_add(
            response_hash(call.model_name.text, call.response_id.text), position, same);
        ++response_hits_[first == key_index::none ? position : first];
    }
}

void call_views::resolve(const trajectory_facts& facts, resolved_reference& entry) const {
    const call_reference& wanted = entry.reference;
    if (wanted.call_id.empty()) {
        entry.position =
            by_response_.find(response_hash(wanted.model_name.text, wanted.response_id.text),
                              [&](std::uint32_t other) {
                                  return facts.calls[other].model_name == wanted.model_name &&
                                         facts.calls[other].response_id == wanted.response_id;
                              });
        entry.hits = entry.position == key_index::none ? 0 : response_hits_[entry.position];
        return;
    }
    // A call id is there once at most: a trajectory where it stands twice is invalid.
    entry.position = by_id_.find(text_hash(wanted.call_id.text), [&](std::uint32_t other) {
        return facts.calls[other].call_id.text == wanted.call_id.text;
    });
    if (entry.position == key_index::none) return;
    const model_call& call = facts.calls[entry.position];
    const bool agrees = (!wanted.model_name.present || wanted.model_name == call.model_name) &&
                        (!wanted.response_id.present || wanted.response_id == call.response_id);
    entry.hits = agrees ? 1 : 0;
}

void call_views::build(std::size_t count, const trajectory_facts& facts, call_view& view) {
    view.observed = count > 0;
    matched_.assign(facts.calls.size(), false);
    for (std::size_t i = 0; i < count; ++i) {
        const resolved_reference& entry = references_[i];
        if (entry.hits == 0) {
            view.missing.push_back(entry.reference);
        } else if (entry.hits > 1) {
            view.duplicated.push_back({entry.reference, entry.hits});
        } else {
            matched_[entry.position] = true;
        }
    }
    for (std::uint32_t position = 0; position < matched_.size(); ++position)
        if (matched_[position]) view.matched.push_back(position);
}

}  // namespace gym::telemetry::health
