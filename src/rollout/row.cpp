// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstring>

#include <rollout/row.hpp>
#include <rollout/unescape.hpp>

namespace gym::telemetry::rollout {
namespace {

// Longest text of an attribute, and room for a character that stands across that border: the
// recorders cut there, and must see what they would see of the whole.
constexpr std::size_t attribute_bytes_needed = 1024 + 4;

// Beyond this an integer is not exact in a double, and no response has so many tokens.
constexpr double max_count = 9007199254740992.0;

struct key_of {
    field inside;
    std::string_view key;
    field is;
};

// All keys of one object differ in length, which makes finding one cheap.
constexpr key_of keys[] = {
    {field::none, "reward", field::reward},
    {field::none, "response", field::response},
    {field::none, "agent_ref", field::agent_ref},
    {field::none, "mask_sample", field::mask_sample},
    {field::none, "failure_kind", field::failure_kind},
    {field::none, "_ng_failure_type", field::failure_type},
    {field::none, "_ng_failure_class", field::failure_class},
    {field::none, "_ng_dispatch_drained", field::drained},
    {field::none, "_ng_environment_server", field::environment_server},
    {field::agent_ref, "name", field::agent_name},
    {field::response, "usage", field::usage},
    {field::response, "created_at", field::created_at},
    {field::usage, "input_tokens", field::input_tokens},
    {field::usage, "output_tokens", field::output_tokens},
};
constexpr std::size_t longest_key = 22;
static_assert([] {
    for (const key_of& k : keys)
        if (k.key.size() < 4 || k.key.size() > longest_key) return false;
    return true;
}());

// Index into `keys`, by object and length of the key; -1 where there is none.
struct key_index {
    signed char at[field_count][longest_key + 1];
};

constexpr key_index make_key_index() {
    key_index index{};
    for (auto& row_of_index : index.at)
        for (signed char& entry : row_of_index) entry = -1;
    signed char n = 0;
    for (const key_of& k : keys) index.at[static_cast<std::size_t>(k.inside)][k.key.size()] = n++;
    return index;
}
constexpr key_index by_length = make_key_index();

template <class Word>
inline bool equal_at(const char* a, const char* b, std::size_t offset) noexcept {
    Word x;
    Word y;
    std::memcpy(&x, a + offset, sizeof x);
    std::memcpy(&y, b + offset, sizeof y);
    return x == y;
}

// Of one length, from 4 to 24. A library call would cost more than finding the key.
inline bool same_key(const char* a, const char* b, std::size_t size) noexcept {
    using long_word = std::uint64_t;
    using word = std::uint32_t;
    if (size < sizeof(long_word))
        return equal_at<word>(a, b, 0) && equal_at<word>(a, b, size - sizeof(word));
    return equal_at<long_word>(a, b, 0) && equal_at<long_word>(a, b, size - sizeof(long_word)) &&
           (size <= 2 * sizeof(long_word) || equal_at<long_word>(a, b, sizeof(long_word)));
}

field find_plain(field inside, std::string_view key) noexcept {
    if (key.size() > longest_key) return field::none;
    const int n = by_length.at[static_cast<std::size_t>(inside)][key.size()];
    return n >= 0 && same_key(keys[n].key.data(), key.data(), key.size()) ? keys[n].is
                                                                          : field::none;
}

field find_escaped(field inside, std::string_view raw_key) noexcept {
    if (raw_key.size() > longest_key * 6) return field::none;
    try {
        std::string key;
        unescape(raw_key, raw_key.size(), key);
        return find_plain(inside, key);
    } catch (...) {  // out of memory: the key counts as one of no interest
        return field::none;
    }
}

}  // namespace

std::string_view to_text(reject reason) noexcept {
    switch (reason) {
        case reject::none:
            return "";
        case reject::utf8:
            return "utf8";
        case reject::not_json:
            return "not_json";
        case reject::too_deep:
            return "too_deep";
        case reject::not_an_object:
            return "not_an_object";
        case reject::truncated:
            return "truncated";
    }
    return "";
}

std::string_view row::dispatch_name() const noexcept {
    if (!environment_server.empty()) return environment_server;
    return agent_name.empty() ? std::string_view("unknown") : agent_name;
}

field find_field(field inside, std::string_view raw_key) noexcept {
    const field found = find_plain(inside, raw_key);
    if (found != field::none || raw_key.find('\\') == std::string_view::npos) return found;
    return find_escaped(inside, raw_key);
}

void row_builder::set(field f, value v) noexcept {
    if (f == field::none) return;
    values_[static_cast<std::size_t>(f)] = v;
    present_ |= bit(f);
    constexpr unsigned of_usage = bit(field::input_tokens) | bit(field::output_tokens);
    constexpr unsigned of_response = of_usage | bit(field::usage) | bit(field::created_at);
    if (f == field::agent_ref) present_ &= ~bit(field::agent_name);
    if (f == field::response) present_ &= ~of_response;
    if (f == field::usage) present_ &= ~of_usage;
}

std::string_view row_builder::plain_text(field f) {
    const value v = at(f);
    if (v.is != kind::text) return {};
    if (v.raw.find('\\') == std::string_view::npos) return v.raw;
    std::string& text = unescaped_[static_cast<std::size_t>(f)];
    text.clear();
    unescape(v.raw, attribute_bytes_needed, text);
    return text;
}

// A failure field that is there but no text is no name that could be recorded.
std::string_view row_builder::failure_text(field f) {
    const kind is = at(f).is;
    if (is == kind::absent || is == kind::null) return {};
    return is == kind::text ? plain_text(f) : std::string_view("unregistered");
}

// As the collection driver's language sees it.
bool row_builder::truthy(field f) const noexcept {
    const value v = at(f);
    switch (v.is) {
        case kind::true_:
        case kind::container:
            return true;
        case kind::text:
            return !v.raw.empty();
        case kind::number:
            return v.number != 0;
        default:
            return false;
    }
}

std::optional<std::int64_t> row_builder::count(field f) const noexcept {
    const value v = at(f);
    if (v.is != kind::number) return std::nullopt;
    const double number = v.number;
    if (!(number >= 0 && number <= max_count) || number != std::floor(number)) return std::nullopt;
    return static_cast<std::int64_t>(number);
}

const row& row_builder::finish() {
    row_ = {};
    const value reward = at(field::reward);
    switch (reward.is) {
        case kind::absent:
            row_.reward_is = reward_state::absent;
            break;
        case kind::null:
            row_.reward_is = reward_state::null;
            break;
        case kind::number:
            row_.reward_is = reward_state::number;
            row_.reward = reward.number;
            break;
        default:
            row_.reward_is = reward_state::not_a_number;
    }
    row_.masked = at(field::mask_sample).is == kind::true_;
    row_.drained = truthy(field::drained);
    row_.environment_server = plain_text(field::environment_server);
    row_.agent_name = plain_text(field::agent_name);
    row_.failure_class = failure_text(field::failure_class);
    row_.failure_kind = failure_text(field::failure_kind);
    row_.failure_type = failure_text(field::failure_type);
    row_.input_tokens = count(field::input_tokens);
    row_.output_tokens = count(field::output_tokens);
    const value created = at(field::created_at);
    if (created.is == kind::number) row_.created_at_s = created.number;
    return row_;
}

}  // namespace gym::telemetry::rollout
