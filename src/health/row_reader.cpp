// SPDX-License-Identifier: Apache-2.0
#include "health/row_reader.hpp"

#include "health/row_rewrite.hpp"

#include <algorithm>
#include <cstdint>

#include <simdjson.h>

namespace gym::telemetry::health {

namespace {

constexpr std::size_t max_nesting = 1024;
// simdjson refuses containers at its limit but does not count an empty one. So its limit is set one
// lower, where it never reads too much, and what it refuses by that is read again and counted.
constexpr std::size_t usual_depth = max_nesting;
constexpr std::size_t counted_depth = max_nesting + 2;
static_assert(row_padding_bytes >= simdjson::SIMDJSON_PADDING);

bool nested_too_deeply(json_value root) {
    std::size_t depth = 0;
    for (std::uint32_t at = root.index(); at < root.next();) {
        const json_value value(root.document(), at);
        const char kind = value.kind();
        if (kind == '{' || kind == '[') {
            if (++depth > max_nesting) return true;
            ++at;
        } else {
            if (kind == '}' || kind == ']') --depth;
            at = value.next();
        }
    }
    return false;
}

json_document document_of(const simdjson::dom::parser& dom) {
    return {dom.doc.tape.get(), dom.doc.string_buf.get()};
}

}  // namespace

struct row_reader::parser {
    simdjson::dom::parser usual;
    simdjson::dom::parser counted;  // for rows that nest deeply
    bool ready = false;

    simdjson::error_code parse(std::string_view row, json_document& document) {
        if (!ready) {
            if (auto error =
                    usual.allocate(std::max<std::size_t>(row.size(), 1 << 14), usual_depth))
                return error;
            ready = true;
        }
        const auto error = usual.parse(row.data(), row.size(), false).error();
        document = document_of(usual);
        return error == simdjson::DEPTH_ERROR ? parse_counted(row, document) : error;
    }

    simdjson::error_code parse_counted(std::string_view row, json_document& document) {
        if (auto error = counted.allocate(std::max(row.size(), counted.capacity()), counted_depth))
            return error;
        if (auto error = counted.parse(row.data(), row.size(), false).error()) return error;
        document = document_of(counted);
        return nested_too_deeply({&document, 1}) ? simdjson::DEPTH_ERROR : simdjson::SUCCESS;
    }
};

row_reader::row_reader() : parser_(std::make_unique<parser>()) {}
row_reader::~row_reader() = default;
row_reader::row_reader(row_reader&&) noexcept = default;
row_reader& row_reader::operator=(row_reader&&) noexcept = default;

read_outcome row_reader::read_padded(std::string_view row, read_rules rules) {
    // simdjson skips a byte order mark at the start; here it is no JSON.
    if (row.empty() || row.front() == '\xEF') return read_outcome::not_json;
    if (parser_->parse(row, document_) != simdjson::SUCCESS) {
        // What simdjson refuses but these rules read is rare, so it is rewritten and read again.
        if (!rewrite_row(row, rules == read_rules::wide, rewritten_)) return read_outcome::not_json;
        rewritten_.append(row_padding_bytes, ' ');
        const std::string_view text(rewritten_.data(), rewritten_.size() - row_padding_bytes);
        if (parser_->parse(text, document_) != simdjson::SUCCESS) return read_outcome::not_json;
    }
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
