#include "cluster/yarn/link/host_spread.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <tuple>
#include <utility>

namespace muster::cluster::yarn {

namespace rm = hadoop::yarn;

namespace {

/// Where Hadoop puts hosts that no topology script mentions.
constexpr std::string_view kDefaultRack = "/default-rack";

/// Returns how many times `each` fits into what is left.
size_t times(int64_t left, int64_t each) {
  if (each <= 0) {
    return std::numeric_limits<size_t>::max();
  }
  return left <= 0 ? 0 : static_cast<size_t>(left / each);
}

}  // namespace

void HostSpread::learn_rack(const std::string& host, const std::string& rack) {
  if (!rack.empty()) {
    racks_[host] = rack;
  }
}

void HostSpread::set_usable(const std::string& host, bool usable) {
  if (usable) {
    unusable_.erase(host);
  } else {
    unusable_.insert(host);
  }
}

void HostSpread::took(const rm::ContainerId& container, const std::string& host,
                      const rm::Resource& each) {
  held_.try_emplace(container, Use{.host = host, .each = each});
}

std::map<std::string, HostSpread::Share> HostSpread::shares(const std::vector<Use>& asked) const {
  std::map<std::string, Share> shares;
  const auto count = [&shares](const Use& use) {
    Share& share = shares[use.host];
    ++share.containers;
    rm::add(share.resources, use.each);
  };
  for (const auto& [container, use] : held_) {
    count(use);
  }
  std::ranges::for_each(asked, count);
  return shares;
}

size_t HostSpread::room(const rm::Resource& left, const rm::Resource& each) const {
  size_t room = times(left.memory_mb, each.memory_mb);
  if (counts_vcores_) {
    room = std::min(room, times(left.vcores, each.vcores));
  }
  for (const auto& [name, amount] : each.others) {
    room = std::min(room, times(rm::amount_of(left, name), amount.value));
  }
  return room;
}

std::vector<std::string> HostSpread::spread(size_t count, const rm::Resource& each,
                                            const std::set<std::string>& avoided,
                                            const std::vector<Use>& asked) const {
  struct Turn {
    size_t containers;
    int64_t less_memory;  ///< The smallest is first: the more there is, the earlier.
    std::string_view host;
    size_t room;

    [[nodiscard]] auto rank() const { return std::tie(containers, less_memory, host); }
  };
  const auto later = [](const Turn& a, const Turn& b) { return b.rank() < a.rank(); };
  std::vector<Turn> turns;
  std::map<std::string, Share> shares = this->shares(asked);
  for (const auto& [host, seen] : hosts_) {
    const Share& share = shares[host];
    rm::Resource left = seen.free;
    rm::take_off(left, share.resources);
    const size_t fit = room(left, each);
    if (fit > 0 && !avoided.contains(host) && !unusable_.contains(host)) {
      turns.push_back({.containers = share.containers,
                       .less_memory = -left.memory_mb,
                       .host = host,
                       .room = fit});
    }
  }
  if (count <= turns.size()) {
    turns.clear();
  }
  std::ranges::make_heap(turns, later);
  std::vector<std::string> chosen;
  while (chosen.size() < count && !turns.empty()) {
    std::ranges::pop_heap(turns, later);
    Turn& next = turns.back();
    chosen.emplace_back(next.host);
    ++next.containers;
    next.less_memory += each.memory_mb;
    if (--next.room == 0) {
      turns.pop_back();
    } else {
      std::ranges::push_heap(turns, later);
    }
  }
  chosen.resize(count);
  return chosen;
}

// A wrong rack does no harm: the scheduler then ignores the preference and grants any host.
std::vector<rm::PreferredHost> HostSpread::places_of(const std::vector<std::string>& hosts) const {
  std::map<std::string, int32_t> counts;
  for (const std::string& host : hosts) {
    if (!host.empty()) {
      ++counts[host];
    }
  }
  std::vector<rm::PreferredHost> places;
  for (const auto& [host, count] : counts) {
    std::string rack(kDefaultRack);
    if (const auto told = racks_.find(host); told != racks_.end()) {
      rack = told->second;
    } else if (const auto seen = hosts_.find(host);
               seen != hosts_.end() && !seen->second.rack.empty()) {
      rack = seen->second.rack;
    }
    places.push_back({.host = host, .rack = std::move(rack), .count = count});
  }
  return places;
}

}  // namespace muster::cluster::yarn
