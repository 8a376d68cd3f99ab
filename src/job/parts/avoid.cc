#include "job/parts/avoid.h"

#include <algorithm>
#include <chrono>
#include <tuple>

namespace muster::job {
namespace {

constexpr Duration kAbsence = std::chrono::minutes(1);

}  // namespace

int64_t AvoidedHosts::Record::count(Harm harm, Time now, std::optional<Duration> window) const {
  return std::ranges::count_if(harms, [&](const Noted& noted) {
    return noted.harm == harm && (!window || now - noted.at < *window);
  });
}

std::optional<Time> AvoidedHosts::Record::away_until(Time now,
                                                     std::optional<Duration> window) const {
  constexpr int64_t kDoublingsMax = 10;
  const int64_t times = count(Harm::Absence, now, window);
  if (times == 0) {
    return std::nullopt;
  }
  const auto last = std::ranges::find(harms.rbegin(), harms.rend(), Harm::Absence, &Noted::harm);
  const Duration each = kAbsence * (int64_t{1} << std::min(times - 1, kDoublingsMax));
  return last->at + (window ? std::min(each, *window) : each);
}

void AvoidedHosts::saw(const HostName& host) { hosts_.try_emplace(host); }

void AvoidedHosts::foretell(const std::vector<HostName>& hosts) {
  for (const HostName& host : hosts) {
    hosts_[host].foretold = true;
    spotless_ = false;
  }
}

void AvoidedHosts::pardon() {
  for (auto& [host, record] : hosts_) {
    record.foretold = false;
  }
}

bool AvoidedHosts::has_foretold() const {
  return std::ranges::any_of(hosts_, [](const auto& entry) { return entry.second.foretold; });
}

void AvoidedHosts::note(const HostName& host, Time now, Harm harm) {
  constexpr size_t kHarmsMax = 64;
  std::vector<Noted>& harms = hosts_[host].harms;
  if (harms.size() == kHarmsMax) {
    harms.erase(harms.begin());
  }
  harms.push_back({.at = now, .harm = harm});
  spotless_ = false;
}

void AvoidedHosts::report(const HostName& host, HostHealth health) {
  Record& record = hosts_[host];
  if (health == HostHealth::Healthy && record.health != HostHealth::Healthy) {
    record.harms.clear();
    record.foretold = false;
  }
  record.health = health;
  spotless_ = false;
}

std::vector<HostName> AvoidedHosts::list(Time now, std::optional<Duration> window,
                                         uint32_t share_max_percent) const {
  if (spotless_) {
    return {};
  }
  struct Rank {
    bool reported;
    int64_t harms;
    const HostName* host;
  };
  std::vector<Rank> ranks;
  uint64_t foretold = 0;
  for (const auto& [host, record] : hosts_) {
    const std::optional<Time> away = record.away_until(now, window);
    foretold += record.foretold ? 1 : 0;
    const int64_t harms = record.count(Harm::Place, now, window) + (record.foretold ? 1 : 0) +
                          (away && now < *away ? record.count(Harm::Absence, now, window) : 0);
    const bool reported = record.health != HostHealth::Healthy;
    if (reported || harms > 0) {
      ranks.push_back({reported, harms, &host});
    }
  }
  std::ranges::sort(ranks, [](const Rank& a, const Rank& b) {
    return std::tuple(b.reported, b.harms, *a.host) < std::tuple(a.reported, a.harms, *b.host);
  });
  const uint64_t known = std::max<uint64_t>(cluster_hosts_, hosts_.size());
  const uint64_t share = (known * share_max_percent + 50) / 100;
  const uint64_t avoided_max = cluster_hosts_ == 0 ? std::max(share, foretold) : share;
  std::vector<HostName> avoided;
  for (const Rank& rank : ranks) {
    if (avoided.size() == avoided_max) {
      break;
    }
    avoided.push_back(*rank.host);
  }
  return avoided;
}

std::optional<Time> AvoidedHosts::next_return(const std::vector<HostName>& avoided, Time now,
                                              std::optional<Duration> window) const {
  std::optional<Time> next;
  for (const HostName& host : avoided) {
    const Record& record = hosts_.at(host);
    const bool for_else = record.health != HostHealth::Healthy || record.foretold ||
                          record.count(Harm::Place, now, window) > 0;
    const std::optional<Time> away = record.away_until(now, window);
    if (!for_else && away && (!next || *away < *next)) {
      next = away;
    }
  }
  return next;
}

}  // namespace muster::job
