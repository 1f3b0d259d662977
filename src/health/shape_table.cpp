// SPDX-License-Identifier: Apache-2.0
#include "health/shape_table.hpp"

#include "health/schema_text.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace gym::telemetry::health {

namespace {

constexpr std::array<std::pair<std::string_view, shape_kind>, 7> primitives{{
    {"any", shape_kind::any},
    {"raw", shape_kind::raw},
    {"s", shape_kind::text},
    {"i", shape_kind::integer},
    {"n", shape_kind::number},
    {"b", shape_kind::boolean},
    {"list", shape_kind::list},
}};

constexpr std::array<std::pair<std::string_view, shape_hook>, 13> hooks{{
    {"row", shape_hook::row},
    {"trajectory", shape_hook::trajectory},
    {"invocation", shape_hook::invocation},
    {"turn", shape_hook::turn},
    {"turn_ref", shape_hook::turn_ref},
    {"invocation_ref", shape_hook::invocation_ref},
    {"call", shape_hook::call},
    {"metadata", shape_hook::metadata},
    {"tokens", shape_hook::tokens},
    {"toolcall", shape_hook::toolcall},
    {"gap", shape_hook::gap},
    {"item", shape_hook::item},
    {"video", shape_hook::video},
}};

template <class Pairs>
auto* lookup(const Pairs& pairs, std::string_view name) {
    const auto found = std::find_if(pairs.begin(), pairs.end(),
                                    [&](const auto& pair) { return pair.first == name; });
    return found == pairs.end() ? nullptr : &found->second;
}

// The text is part of this program: a fault in it is a programmer's error, found by any test.
void expect(bool holds) {
    assert(holds && "schema_text.hpp does not compile");
    if (!holds) std::abort();
}

// Recursive descent over the text. Definitions may be used before they stand, so every name gets
// a node of its own at its first use, which the definition fills.
class shape_compiler {
public:
    explicit shape_compiler(shape_table& table) : table_(table) {}

    void compile(std::string_view text) {
        text_ = text;
        while (peek() != '\0') {
            const std::string_view name = word();
            take(':');
            const shape_node node = shape();
            table_.nodes[slot(name)] = node;
            take(';');
        }
    }

private:
    shape_node shape() {
        std::vector<shape_node> nodes;
        std::vector<std::string_view> words;
        do {
            alternative(nodes, words);
        } while (accept('|'));
        if (!words.empty()) nodes.push_back(word_set(words));
        if (nodes.size() == 1) return nodes.front();
        shape_node all{.kind = shape_kind::one_of};
        all.first = static_cast<std::uint16_t>(table_.alternatives.size());
        all.count = static_cast<std::uint16_t>(nodes.size());
        // Added after the children have added theirs, so that these lie together.
        for (const shape_node& node : nodes) table_.alternatives.push_back(add(node));
        return all;
    }

    void alternative(std::vector<shape_node>& nodes, std::vector<std::string_view>& words) {
        shape_hook hook = shape_hook::none;
        if (accept('#')) {
            const auto* known = lookup(hooks, word());
            expect(known != nullptr);
            hook = *known;
        }
        const bool closed = accept('!');
        const bool drops = accept('~');
        shape_node node;
        switch (peek()) {
            case '(':
                take('(');
                node = shape();
                take(')');
                break;
            case '[':
                take('[');
                node = container(shape_kind::array);
                take(']');
                break;
            case '{':
                node = braces();
                break;
            case '@':
                take('@');
                nodes.push_back(reference(word()));
                return;
            default: {
                const std::string_view name = word();
                const auto* primitive = lookup(primitives, name);
                if (primitive == nullptr) {
                    words.push_back(name);
                    return;
                }
                node.kind = *primitive;
                if (accept('>')) {
                    take('=');
                    node.bound = static_cast<std::int8_t>(word()[0] - '0');
                }
            }
        }
        node.hook = hook == shape_hook::none ? node.hook : hook;
        node.closed = node.closed || closed;
        node.drops = node.drops || drops;
        node.nullable = accept('?') || node.nullable;
        nodes.push_back(node);
    }

    shape_node container(shape_kind kind) {
        shape_node node{.kind = kind};
        node.first = add(shape());
        return node;
    }

    shape_node braces() {
        take('{');
        shape_node node{.kind = shape_kind::object};
        if (accept('}')) return node;
        if (!names_a_field()) {
            node = container(shape_kind::map);
            take('}');
            return node;
        }
        std::vector<shape_field> fields;
        do {
            shape_field field{.name = make_short_name(word())};
            field.required = accept('*');
            field.node = add(shape());
            if (field.required) node.required |= 1U << fields.size();
            fields.push_back(field);
        } while (accept(','));
        take('}');
        expect(fields.size() <= max_fields);
        node.first = static_cast<std::uint16_t>(table_.fields.size());
        node.count = static_cast<std::uint16_t>(fields.size());
        table_.fields.insert(table_.fields.end(), fields.begin(), fields.end());
        return node;
    }

    // A field is a word that a `*` or a shape follows; `{s}` and `{s|n}` are maps.
    bool names_a_field() {
        const std::size_t start = at_;
        peek();
        if (text_[at_] == '[' || text_[at_] == '{') return false;
        word();
        const char next = peek();
        at_ = start;
        return next != '}' && next != '|';
    }

    shape_node word_set(const std::vector<std::string_view>& words) {
        shape_node node{.kind = shape_kind::words};
        node.first = static_cast<std::uint16_t>(table_.words.size());
        node.count = static_cast<std::uint16_t>(words.size());
        for (std::string_view text : words) table_.words.push_back(make_short_name(text));
        return node;
    }

    // A use of a definition is a union of one, resolved through the definition's own node.
    shape_node reference(std::string_view name) {
        shape_node node{.kind = shape_kind::one_of};
        node.first = static_cast<std::uint16_t>(table_.alternatives.size());
        node.count = 1;
        table_.alternatives.push_back(slot(name));
        return node;
    }

    std::uint16_t slot(std::string_view name) {
        for (const named_shape& known : table_.names)
            if (known.name == name) return known.node;
        table_.names.push_back({name, add({})});
        return table_.names.back().node;
    }

    std::uint16_t add(const shape_node& node) {
        table_.nodes.push_back(node);
        return static_cast<std::uint16_t>(table_.nodes.size() - 1);
    }

    char peek() {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
        return at_ < text_.size() ? text_[at_] : '\0';
    }
    bool accept(char c) {
        if (peek() != c) return false;
        ++at_;
        return true;
    }
    void take(char c) { expect(accept(c)); }
    std::string_view word() {
        peek();
        constexpr std::string_view ends = " \n,;:?*|()[]{}>=";
        const std::size_t stop = text_.find_first_of(ends, at_);
        const std::string_view found = text_.substr(at_, stop - at_);
        expect(!found.empty());
        at_ = stop;
        return found;
    }

    shape_table& table_;
    std::string_view text_;
    std::size_t at_ = 0;
};

// A use of a definition reads the definition itself, which saves a step for each value checked.
void resolve_uses(shape_table& table) {
    for (shape_node& node : table.nodes) {
        while (node.kind == shape_kind::one_of && node.count == 1) {
            const bool nullable = node.nullable;
            node = table.nodes[table.alternatives[node.first]];
            node.nullable = node.nullable || nullable;
        }
    }
}

}  // namespace

short_name make_short_name(std::string_view text) {
    short_name name{.text = text};
    std::memcpy(&name.front, text.data(), std::min<std::size_t>(text.size(), 8));
    if (text.size() > 8) std::memcpy(&name.back, text.data() + text.size() - 8, 8);
    if (text.size() > 16) std::memcpy(&name.middle, text.data() + 8, 8);
    return name;
}

std::uint16_t shape_table::named(std::string_view name) const {
    for (const named_shape& known : names)
        if (known.name == name) return known.node;
    expect(false);
    return 0;
}

const shape_table& shapes() {
    static const shape_table compiled = [] {
        shape_table table;
        shape_compiler(table).compile(trajectory_shapes);
        shape_compiler(table).compile(item_shapes);
        resolve_uses(table);
        return table;
    }();
    return compiled;
}

}  // namespace gym::telemetry::health
