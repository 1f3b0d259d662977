// SPDX-License-Identifier: Apache-2.0
//
// Checks a value against a compiled shape. What a hook wants to see of a valid object it gets while
// the object's fields are at hand, so that a trajectory is walked once.
#pragma once

#include "health/json_value.hpp"
#include "health/shape_table.hpp"

#include <array>
#include <cstdint>

namespace gym::telemetry::health {

// The values of one object's fields, in the order of its shape; false where absent.
struct object_fields {
    json_value self;
    std::array<std::uint32_t, max_fields> at{};  // tape index, 0 for absent

    json_value operator[](std::size_t field) const {
        return at[field] == 0 ? json_value() : json_value(self.document(), at[field]);
    }
};

class shape_observer {
public:
    // Called for each object whose fields are valid. False makes the object invalid.
    virtual bool on_object(shape_hook hook, const object_fields& fields) = 0;
    // Called in front of an object's fields, for hooks that gather what lies within.
    virtual void before_object(shape_hook hook) = 0;
    // Called for each array or object that may be anything: where a shape says so, and for other
    // fields of an object that keeps them.
    virtual void on_anything(json_value value) = 0;

protected:
    ~shape_observer() = default;
};

class shape_checker {
public:
    explicit shape_checker(shape_observer& observer) : table_(shapes()), observer_(observer) {}

    bool check(std::uint16_t node, json_value value) const {
        return check(table_.nodes[node], value);
    }

private:
    bool check(const shape_node& node, json_value value) const;
    bool check_anything(json_value value) const;
    bool check_object(const shape_node& node, json_value value) const;
    bool check_array(const shape_node& node, json_value value) const;
    bool check_map(const shape_node& node, json_value value) const;
    bool check_words(const shape_node& node, json_value value) const;

    const shape_table& table_;
    shape_observer& observer_;
};

}  // namespace gym::telemetry::health
