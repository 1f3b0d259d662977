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
        : document_(document), word_(document->tape + index) {}

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
        const std::uint64_t bits = word_[1];
        return kind() == 'u' ? static_cast<__int128>(bits)
                             : static_cast<__int128>(static_cast<std::int64_t>(bits));
    }
    double number() const {
        if (kind() != 'd') return static_cast<double>(integer());
        double value = 0;
        std::memcpy(&value, word_ + 1, sizeof value);
        return value;
    }

    bool is_empty_container() const { return behind(*word_) == word_ + 2; }

    // Index of the closing bracket of an array or object.
    std::uint32_t end() const { return static_cast<std::uint32_t>(*word_) - 1; }
    std::uint32_t index() const { return static_cast<std::uint32_t>(word_ - document_->tape); }
    const json_document* document() const { return document_; }
    // Index of what follows this value.
    std::uint32_t next() const { return static_cast<std::uint32_t>(next_word() - document_->tape); }

    // The value of an object's key, the last one where it stands twice. Linear: for the few keys
    // that are looked up in values of any shape.
    json_value find(std::string_view key) const {
        json_value found;
        each_member([&](std::string_view name, json_value value) {
            if (name == key) found = value;
            return true;
        });
        return found;
    }

    // Calls visit(element) for each element until it returns false. False when one did.
    template <class Visit>
    bool each_element(Visit visit) const {
        const std::uint64_t* stop = behind(*word_) - 1;
        for (json_value element(document_, word_ + 1); element.word_ != stop;
             element.word_ = element.next_word())
            if (!visit(element)) return false;
        return true;
    }

    // The same with visit(key, value), duplicate keys included.
    template <class Visit>
    bool each_member(Visit visit) const {
        const std::uint64_t* stop = behind(*word_) - 1;
        for (json_value key(document_, word_ + 1); key.word_ != stop;) {
            const json_value value(document_, key.word_ + 1);
            if (!visit(key.text(), value)) return false;
            key.word_ = value.next_word();
        }
        return true;
    }

private:
    friend class member_cursor;

    static constexpr std::uint64_t payload_mask = (std::uint64_t{1} << 56) - 1;

    json_value(const json_document* document, const std::uint64_t* word)
        : document_(document), word_(word) {}

    std::uint64_t word() const { return *word_; }
    // What follows the array or object that this word opens.
    const std::uint64_t* behind(std::uint64_t word) const {
        return document_->tape + static_cast<std::uint32_t>(word);
    }
    const std::uint64_t* next_word() const {
        const std::uint64_t here = *word_;
        switch (static_cast<char>(here >> 56)) {
            case '{':
            case '[':
                return behind(here);
            case 'l':
            case 'u':
            case 'd':
                return word_ + 2;
            default:
                return word_ + 1;
        }
    }

    const json_document* document_ = nullptr;
    const std::uint64_t* word_ = nullptr;
};

// Walks an object's members with all it needs in registers: for the loop that every key of a row
// goes through, where it saves a fifth over each_member.
class member_cursor {
public:
    explicit member_cursor(json_value object)
        : tape_(object.document_->tape),
          strings_(object.document_->strings),
          key_(object.word_ + 1),
          stop_(tape_ + static_cast<std::uint32_t>(*object.word_) - 1) {}

    bool done() const { return key_ == stop_; }
    std::string_view key() const {
        const std::uint8_t* at = strings_ + (*key_ & json_value::payload_mask);
        std::uint32_t length = 0;
        std::memcpy(&length, at, sizeof length);
        return {reinterpret_cast<const char*>(at + sizeof length), length};
    }
    std::uint32_t value_index() const { return static_cast<std::uint32_t>(key_ + 1 - tape_); }
    void advance() {
        const std::uint64_t value = key_[1];
        const char kind = static_cast<char>(value >> 56);
        if (kind == '{' || kind == '[') {
            key_ = tape_ + static_cast<std::uint32_t>(value);
        } else {
            key_ += kind == 'l' || kind == 'd' || kind == 'u' ? 3 : 2;
        }
    }

private:
    const std::uint64_t* tape_;
    const std::uint8_t* strings_;
    const std::uint64_t* key_;
    const std::uint64_t* stop_;
};

}  // namespace gym::telemetry::health
