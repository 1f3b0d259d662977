// SPDX-License-Identifier: Apache-2.0
#include "http/placement.hpp"

#include <algorithm>
#include <cassert>

namespace gym::telemetry::http {

namespace {

// As in admission.cpp: origins without connections are forgotten once there are this many.
constexpr std::size_t origins_kept_max = 1024;

}  // namespace

placement::placement(std::int64_t connections_each)
    : connections_each_(connections_each),
      connections_(1, 0),
      open_(1, 0),
      sweep_at_(origins_kept_max) {}

placement::origin& placement::origin_of(const std::string& name) {
    if (const auto found = origins_.find(name); found != origins_.end()) return found->second;
    if (origins_.size() >= sweep_at_) drop_unused_origins();
    return origins_[name];
}

void placement::drop_unused_origins() {
    std::erase_if(origins_, [](const auto& entry) {
        return entry.second.open == 0 && entry.second.busy == 0;
    });
    sweep_at_ = std::max(origins_kept_max, 2 * origins_.size());
}

std::uint16_t placement::emptiest(std::size_t shards_max) {
    assert(shards_max > 0 && shards_max <= UINT16_MAX);
    const auto usable = static_cast<std::ptrdiff_t>(std::min(shards_max, connections_.size()));
    const auto least = std::min_element(connections_.begin(), connections_.begin() + usable);
    if (*least >= connections_each_ && connections_.size() < shards_max) {
        connections_.push_back(0);
        open_.push_back(0);
        return static_cast<std::uint16_t>(connections_.size() - 1);
    }
    return static_cast<std::uint16_t>(least - connections_.begin());
}

placement::place placement::take(const std::string& name, std::size_t shards_max) {
    origin& to = origin_of(name);
    place found{.to = &to, .shard = 0, .expected = true};
    while (found.expected && !to.kept.empty()) {
        found.shard = to.kept.back();
        to.kept.pop_back();
        found.expected = to.at[found.shard].open <= to.at[found.shard].busy;
    }
    if (found.expected) {
        found.shard = emptiest(shards_max);
        ++connections_[found.shard];
        ++all_expected_;
        if (to.at.size() <= found.shard) to.at.resize(found.shard + std::size_t{1});
    }
    ++to.at[found.shard].busy;
    ++to.busy;
    ++all_busy_;
    return found;
}

void placement::give_back(place from) {
    origin::at_shard& here = from.to->at[from.shard];
    --here.busy;
    --from.to->busy;
    --all_busy_;
    if (from.expected) {
        --connections_[from.shard];
        --all_expected_;
    }
    if (here.open > here.busy) from.to->kept.push_back(from.shard);
}

void placement::opened(int fd, place& by) {
    lost(fd);  // Its number stood for another socket, of whose end we were not told.
    const auto index = static_cast<std::size_t>(fd);
    if (index >= sockets_.size()) sockets_.resize(index + 64);
    sockets_[index] = {by.to, by.shard};
    ++by.to->at[by.shard].open;
    ++by.to->open;
    ++open_[by.shard];
    ++all_open_;
    if (by.expected) {
        by.expected = false;  // counted as open from now on
        --all_expected_;
    } else {
        ++connections_[by.shard];
    }
}

void placement::lost(int fd) noexcept {
    const auto index = static_cast<std::size_t>(fd);
    if (index >= sockets_.size() || sockets_[index].to == nullptr) return;
    const socket which = sockets_[index];
    sockets_[index] = {};
    --which.to->at[which.shard].open;
    --which.to->open;
    --open_[which.shard];
    --all_open_;
    --connections_[which.shard];
}

}  // namespace gym::telemetry::http
