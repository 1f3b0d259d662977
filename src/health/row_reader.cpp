// SPDX-License-Identifier: Apache-2.0
#include <health/row_reader.hpp>

#include <algorithm>
#include <cstdint>

#include <simdjson.h>

#include <health/row_rewrite.hpp>

namespace gym::telemetry::health {

namespace {

constexpr std::size_t max_nesting = 1024;
// simdjson refuses a container at its limit, we refuse one beyond ours.
constexpr std::size_t simdjson_depth = max_nesting + 1;
static_assert(row_padding_bytes >= simdjson::SIMDJSON_PADDING);

}  // namespace

struct row_reader::parser {
    simdjson::dom::parser dom;
    bool ready = false;
};

row_reader::row_reader() : parser_(std::make_unique<parser>()) {}
row_reader::~row_reader() = default;
row_reader::row_reader(row_reader&&) noexcept = default;
row_reader& row_reader::operator=(row_reader&&) noexcept = default;

read_outcome row_reader::read_padded(std::string_view row, read_rules rules) {
    auto& dom = parser_->dom;
    // simdjson skips a byte order mark at the start; here it is no JSON.
    if (row.empty() || row.front() == '\xEF') return read_outcome::not_json;
    if (!parser_->ready) {
        if (dom.allocate(std::max<std::size_t>(row.size(), 1 << 14), simdjson_depth) !=
            simdjson::SUCCESS)
            return read_outcome::not_json;
        parser_->ready = true;
    }
    auto parsed = dom.parse(row.data(), row.size(), false);
    if (parsed.error() != simdjson::SUCCESS) {
        // What simdjson refuses but these rules read is rare, so it is rewritten and read again.
        if (!rewrite_row(row, rules == read_rules::wide, rewritten_)) return read_outcome::not_json;
        rewritten_.append(row_padding_bytes, ' ');
        const std::string_view text(rewritten_.data(), rewritten_.size() - row_padding_bytes);
        parsed = dom.parse(text.data(), text.size(), false);
        if (parsed.error() != simdjson::SUCCESS) return read_outcome::not_json;
    }
    document_ = {dom.doc.tape.get(), dom.doc.string_buf.get()};
    return root().is_object() ? read_outcome::object : read_outcome::not_an_object;
}

read_outcome row_reader::read(std::string_view row, read_rules rules) {
    copy_.clear();
    copy_.reserve(row.size() + row_padding_bytes);
    copy_.append(row).append(row_padding_bytes, ' ');
    return read_padded(std::string_view(copy_).substr(0, row.size()), rules);
}

std::string_view trim_row(std::string_view line) {
    constexpr std::string_view blank = " \t\r\v\f";
    const std::size_t first = line.find_first_not_of(blank);
    if (first == std::string_view::npos) return {};
    return line.substr(first, line.find_last_not_of(blank) - first + 1);
}

}  // namespace gym::telemetry::health
