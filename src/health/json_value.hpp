// SPDX-License-Identifier: Apache-2.0
//
// A value of a parsed row: a cursor on simdjson's tape (its doc/tape.md), 16 bytes, copied freely.
// The DOM's own element type is not used because a row is checked in a few microseconds: walking
// the tape directly lets a shape be matched in one pass without a variant or an error code a step.
// Valid until the row_reader that made it reads again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace gym::telemetry::health {

struct json_document {
    const std::uint64_t* tape = nullptr;
    const std::uint8_t* strings = nullptr;
};

class json_value {
public:
    json_value() = default;
    json_value(const json_document* document, std::uint32_t index)
        : document_(document), index_(index) {}

    // False for what is not there: a key that is absent.
    explicit operator bool() const { return document_ != nullptr; }

    // The tape's own letters.
    char kind() const { return static_cast<char>(word() >> 56); }
    bool is_null() const { return kind() == 'n'; }
    bool is_object() const { return kind() == '{'; }
    bool is_array() const { return kind() == '['; }
    bool is_string() const { return kind() == '"'; }
    bool is_true() const { return kind() == 't'; }
    bool is_boolean() const { return kind() == 't' || kind() == 'f'; }
    // Integers from -2^63 to 2^64-1; 'u' only above 2^63-1.
    bool is_integer() const { return kind() == 'l' || kind() == 'u'; }
    bool is_double() const { return kind() == 'd'; }

    std::string_view text() const {
        const std::uint8_t* at = document_->strings + (word() & payload_mask);
        std::uint32_t length = 0;
        std::memcpy(&length, at, sizeof length);
        return {reinterpret_cast<const char*>(at + sizeof length), length};
    }
    __int128 integer() const {
        const std::uint64_t bits = document_->tape[index_ + 1];
        return kind() == 'u' ? static_cast<__int128>(bits)
                             : static_cast<__int128>(static_cast<std::int64_t>(bits));
    }
    double number() const {
        if (kind() != 'd') return static_cast<double>(integer());
        double value = 0;
        std::memcpy(&value, document_->tape + index_ + 1, sizeof value);
        return value;
    }

    bool is_empty_container() const { return end() == index_ + 1; }

    // Index of the closing bracket of an array or object.
    std::uint32_t end() const { return static_cast<std::uint32_t>(word()) - 1; }
    std::uint32_t index() const { return index_; }
    const json_document* document() const { return document_; }
    // Index of what follows this value.
    std::uint32_t next() const {
        const std::uint64_t here = word();
        switch (static_cast<char>(here >> 56)) {
            case '{':
            case '[':
                return static_cast<std::uint32_t>(here);
            case 'l':
            case 'u':
            case 'd':
                return index_ + 2;
            default:
                return index_ + 1;
        }
    }

    // The value of an object's key, the last one where it stands twice. Linear: for the few keys
    // that are looked up in values of any shape.
    json_value find(std::string_view key) const {
        json_value found;
        const std::uint32_t stop = end();
        for (std::uint32_t at = index_ + 1; at < stop;) {
            const json_value value(document_, at + 1);
            if (json_value(document_, at).text() == key) found = value;
            at = value.next();
        }
        return found;
    }

    // Calls visit(element) for each element until it returns false. False when one did.
    template <class Visit>
    bool each_element(Visit visit) const {
        const std::uint32_t stop = end();
        for (std::uint32_t at = index_ + 1; at < stop;) {
            const json_value element(document_, at);
            if (!visit(element)) return false;
            at = element.next();
        }
        return true;
    }

    // The same with visit(key, value), duplicate keys included.
    template <class Visit>
    bool each_member(Visit visit) const {
        const std::uint32_t stop = end();
        for (std::uint32_t at = index_ + 1; at < stop;) {
            const json_value value(document_, at + 1);
            if (!visit(json_value(document_, at).text(), value)) return false;
            at = value.next();
        }
        return true;
    }

private:
    static constexpr std::uint64_t payload_mask = (std::uint64_t{1} << 56) - 1;

    std::uint64_t word() const { return document_->tape[index_]; }

    const json_document* document_ = nullptr;
    std::uint32_t index_ = 0;
};

}  // namespace gym::telemetry::health
