// SPDX-License-Identifier: Apache-2.0
//
// What falls due next, for items that know their own place: setting and clearing a timer needs no
// search and, once the vector has grown, no allocation.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace gym::telemetry::http {

// Nanoseconds on a steady clock whose start means nothing.
using time_ns = std::int64_t;
inline constexpr time_ns never = INT64_MAX;

// An item's own part. Not movable while it is set.
struct timer_hook {
    static constexpr std::size_t unset = SIZE_MAX;
    time_ns due = never;
    std::uint64_t order = 0;  // of those that fall due together, the one set first comes first
    std::size_t place = unset;
};

// A binary heap over items that have a member `Hook` of type timer_hook. One thread.
template <class Item, timer_hook Item::* Hook>
class timer_heap {
public:
    bool empty() const noexcept { return heap_.empty(); }
    std::size_t size() const noexcept { return heap_.size(); }
    time_ns next() const noexcept { return heap_.empty() ? never : (heap_.front()->*Hook).due; }

    void set(Item& item, time_ns due) {
        clear(item);
        if (due == never) return;
        timer_hook& hook = item.*Hook;
        hook.due = due;
        hook.order = ++order_;
        hook.place = heap_.size();
        heap_.push_back(&item);
        up(hook.place);
    }

    void clear(Item& item) noexcept {
        const std::size_t place = (item.*Hook).place;
        if (place == timer_hook::unset) return;
        assert(place < heap_.size() && heap_[place] == &item);
        (item.*Hook).place = timer_hook::unset;
        (item.*Hook).due = never;
        Item* last = heap_.back();
        heap_.pop_back();
        if (last == &item) return;
        put(place, last);
        up(place);
        down((last->*Hook).place);
    }

    // The next item that is due at `now`, its timer cleared; null when there is none.
    Item* pop(time_ns now) noexcept {
        if (next() > now || heap_.empty()) return nullptr;
        Item* item = heap_.front();
        clear(*item);
        return item;
    }

private:
    static bool before(const Item& a, const Item& b) noexcept {
        const timer_hook &left = a.*Hook, &right = b.*Hook;
        return left.due != right.due ? left.due < right.due : left.order < right.order;
    }

    void put(std::size_t place, Item* item) noexcept {
        heap_[place] = item;
        (item->*Hook).place = place;
    }

    void up(std::size_t place) noexcept {
        while (place > 0) {
            const std::size_t parent = (place - 1) / 2;
            if (!before(*heap_[place], *heap_[parent])) return;
            exchange(place, parent);
            place = parent;
        }
    }

    void down(std::size_t place) noexcept {
        for (;;) {
            std::size_t least = 2 * place + 1;
            if (least >= heap_.size()) return;
            if (least + 1 < heap_.size() && before(*heap_[least + 1], *heap_[least])) ++least;
            if (!before(*heap_[least], *heap_[place])) return;
            exchange(place, least);
            place = least;
        }
    }

    void exchange(std::size_t a, std::size_t b) noexcept {
        Item* item = heap_[a];
        put(a, heap_[b]);
        put(b, item);
    }

    std::vector<Item*> heap_;
    std::uint64_t order_ = 0;
};

}  // namespace gym::telemetry::http
