#include "job/avoid.h"

#include <algorithm>
#include <tuple>

namespace muster::job {

void AvoidedHosts::saw(const HostName& host) { hosts_.try_emplace(host); }

void AvoidedHosts::note(const HostName& host, Time now) {
  constexpr size_t kHarmsMax = 64;
  std::vector<Time>& harms = hosts_[host].harms;
  if (harms.size() == kHarmsMax) {
    harms.erase(harms.begin());
  }
  harms.push_back(now);
  spotless_ = false;
}

void AvoidedHosts::report(const HostName& host, HostHealth health) {
  Record& record = hosts_[host];
  if (health == HostHealth::Healthy && record.health != HostHealth::Healthy) {
    record.harms.clear();
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
  for (const auto& [host, record] : hosts_) {
    const auto harms =
        std::ranges::count_if(record.harms, [&](Time at) { return !window || now - at < *window; });
    const bool reported = record.health != HostHealth::Healthy;
    if (reported || harms > 0) {
      ranks.push_back({reported, harms, &host});
    }
  }
  std::ranges::sort(ranks, [](const Rank& a, const Rank& b) {
    return std::tuple(b.reported, b.harms, *a.host) < std::tuple(a.reported, a.harms, *b.host);
  });
  const uint64_t known = std::max<uint64_t>(cluster_hosts_, hosts_.size());
  const uint64_t avoided_max = (known * share_max_percent + 50) / 100;
  std::vector<HostName> avoided;
  for (const Rank& rank : ranks) {
    if (avoided.size() == avoided_max) {
      break;
    }
    avoided.push_back(*rank.host);
  }
  return avoided;
}

}  // namespace muster::job
