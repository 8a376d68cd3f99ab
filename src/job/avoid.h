#pragma once

#include "base/time.h"
#include "job/fact.h"
#include "job/ids.h"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace muster::job {

/// Remembers which hosts did harm, so that new asks are steered away from them. Never steers away
/// from more than a share of the hosts it knows of: a job must not starve because everything failed
/// once.
class AvoidedHosts {
 public:
  /// A container was granted there: the host exists.
  void saw(const HostName& host);
  /// Something failed there because of the place.
  void note(const HostName& host, Time now);
  /// The cluster's word; anything but Healthy is avoided until it is Healthy again, and then what
  /// was noted before counts no more.
  void report(const HostName& host, HostHealth health);
  /// How many hosts the cluster says it has.
  void cluster_has(uint32_t hosts) { cluster_hosts_ = hosts; }

  /// Returns the hosts to avoid at `now`, worst first: those the cluster reported, then by number
  /// of harms within `window`, then by name. At most `share_max_percent` of the known hosts,
  /// rounded to the nearest.
  [[nodiscard]] std::vector<HostName> list(Time now, std::optional<Duration> window,
                                           uint32_t share_max_percent) const;

 private:
  struct Record {
    HostHealth health = HostHealth::Healthy;
    std::vector<Time> harms;
  };
  std::map<HostName, Record> hosts_;
  uint32_t cluster_hosts_ = 0;
  bool spotless_ = true;  ///< Nothing was ever noted or reported: the usual case, answered at once.
};

}  // namespace muster::job
