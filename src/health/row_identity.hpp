// SPDX-License-Identifier: Apache-2.0
//
// Which rollout a row is: indices that are integers or texts, and an id for people.
#pragma once

#include "health/json_value.hpp"
#include "health/row_evaluation.hpp"
#include "health/text_arena.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gym::telemetry::health {

// 1 is not "1". Sorted: integers by value, then texts by code point, nothing at all as "None".
class row_index {
public:
    row_index() = default;  // nothing at all, as a stage may be
    explicit row_index(wide_integer value)
        : bits_(static_cast<std::uint64_t>(value)),
          kind_(value < 0 ? kind::negative : kind::natural) {}
    explicit row_index(std::string_view text)
        : text_(text.data()), bits_(text.size()), kind_(kind::text) {}

    bool present() const { return kind_ != kind::none; }
    bool is_text() const { return kind_ == kind::text; }
    wide_integer integer() const {
        return kind_ == kind::negative ? static_cast<wide_integer>(static_cast<std::int64_t>(bits_))
                                       : static_cast<wide_integer>(bits_);
    }
    std::string_view text() const { return {text_, bits_}; }
    std::string as_text() const;  // "None" where there is none
    void append_json(std::string& out) const;

    // Below, equal or above zero. "None" and nothing are equal here, and differ for ==.
    friend int compare(const row_index& a, const row_index& b);
    friend bool operator==(const row_index& a, const row_index& b) {
        return a.kind_ == b.kind_ && a.bits_ == b.bits_ &&
               (a.kind_ != kind::text || a.text() == b.text());
    }

private:
    enum class kind : std::uint8_t { none, natural, negative, text };

    const char* text_ = nullptr;
    std::uint64_t bits_ = 0;  // the integer, or the size of the text
    kind kind_ = kind::none;
};

struct row_identity {
    row_index task;
    row_index rollout;
    row_index stage{};
    std::string_view rollout_id{};
};

// Texts are kept in the arena. Nothing when an index is neither an integer nor a text, which makes
// the whole report fail: `fault` then names the key.
std::optional<row_identity> identity_of(const row_fields& row, std::uint64_t ordinal,
                                        text_arena& arena, std::string_view& fault);

// Of a line that is no JSON object.
row_identity unreadable_identity(std::uint32_t file, std::uint64_t line, text_arena& arena);

// `_ng_environment_server`, else `agent_ref.name`, else `unknown`: what the row was dispatched to.
std::string_view dispatch_name_of(const row_fields& row);

}  // namespace gym::telemetry::health
