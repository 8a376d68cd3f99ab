#pragma once

#include "base/time.h"
#include "job/fact.h"
#include "job/ids.h"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace muster::job {

/// What a host did.
enum class Harm : uint8_t {
  Place,    ///< Something about it made an attempt fail: a full disk, a launch that fails.
  Absence,  ///< It was away. It may return unreported, before its cluster has missed it.
};

/// Remembers which hosts did harm, so that new asks are steered away from them. Never steers away
/// from more than a share of the hosts it knows of: a job must not starve because everything failed
/// once.
///
/// A place counts for the whole window. An absence counts for a minute, a second one within the
/// window for two, and so on doubled: a host that is still away grants nothing, and one that comes
/// and goes is left alone for longer each time.
class AvoidedHosts {
 public:
  /// A container was granted there: the host exists.
  void saw(const HostName& host);
  /// The plan says to avoid these, until pardon() or until the cluster reports them mended. If the
  /// number of hosts is unknown, all of these are avoided, since whoever chose them knew.
  void foretell(const std::vector<HostName>& hosts);
  void pardon();
  [[nodiscard]] bool has_foretold() const;
  void note(const HostName& host, Time now, Harm harm);
  /// Takes the cluster's report: anything but Healthy is avoided until it is Healthy again, and
  /// then earlier notes no longer count.
  void report(const HostName& host, HostHealth health);
  /// Takes how many hosts the cluster says it has.
  void cluster_has(uint32_t hosts) { cluster_hosts_ = hosts; }

  /// Returns the hosts to avoid at `now`, worst first: those the cluster reported, then by number
  /// of harms within `window`, then by name. At most `share_max_percent` of the known hosts,
  /// rounded to the nearest.
  [[nodiscard]] std::vector<HostName> list(Time now, std::optional<Duration> window,
                                           uint32_t share_max_percent) const;
  /// Returns when the next of `avoided` (list() at `now`) that is avoided only for its absence
  /// becomes acceptable again.
  [[nodiscard]] std::optional<Time> next_return(const std::vector<HostName>& avoided, Time now,
                                                std::optional<Duration> window) const;

 private:
  struct Noted {
    Time at{};
    Harm harm = Harm::Place;
  };
  struct Record {
    HostHealth health = HostHealth::Healthy;
    std::vector<Noted> harms;
    bool foretold = false;

    [[nodiscard]] int64_t count(Harm harm, Time now, std::optional<Duration> window) const;
    /// Returns until when the absences within the window count; nullopt if there are none.
    [[nodiscard]] std::optional<Time> away_until(Time now, std::optional<Duration> window) const;
  };
  std::map<HostName, Record> hosts_;
  uint32_t cluster_hosts_ = 0;
  bool spotless_ = true;  ///< Nothing was ever noted or reported; the usual case, answered fast.
};

}  // namespace muster::job
