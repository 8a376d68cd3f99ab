#pragma once

#include "cluster/yarn/staging/host_room.h"
#include "hadoop/yarn/request.h"
#include "hadoop/yarn/resource.h"

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace muster::cluster::yarn {

/// Which host each container is asked of, so that they are spread evenly. With each report of a
/// node the Capacity Scheduler gives an application as many containers as it has asked for by that
/// node's name, but only one of those that it would take anywhere.
///
/// Room is what was free at submission, less what this job has got since. A value without clocks.
class HostSpread {
 public:
  /// By name, as the scheduler knows them.
  using Hosts = std::map<std::string, HostRoom>;

  /// A container's room on a host.
  struct Use {
    std::string host;
    hadoop::yarn::Resource each;
  };

  explicit HostSpread(Hosts hosts) : hosts_(std::move(hosts)) {}

  /// Whether the scheduler considers cores at all; if not, only memory and other requested
  /// resources are limits.
  void count_vcores(bool counts) { counts_vcores_ = counts; }
  /// Sets a host's rack, as reported by the cluster; "" is ignored.
  void learn_rack(const std::string& host, const std::string& rack);
  /// Sets whether a host gives containers for now.
  void set_usable(const std::string& host, bool usable);
  /// Records that the job has a container there; repeating it does nothing.
  void took(const hadoop::yarn::ContainerId& container, const std::string& host,
            const hadoop::yarn::Resource& each);
  /// Records that it has ended; unknown ones are ignored.
  void ended(const hadoop::yarn::ContainerId& container) { held_.erase(container); }

  /// Returns a host for each of `count` containers of this shape, "" for those that none has room
  /// for: in turn, the one with the fewest containers of the job first. All "" where each host
  /// would get one: the first report of whatever node gives that, too.
  /// `asked`: what is asked of hosts already.
  [[nodiscard]] std::vector<std::string> spread(size_t count, const hadoop::yarn::Resource& each,
                                                const std::set<std::string>& avoided,
                                                const std::vector<Use>& asked) const;
  /// Returns the hosts as the scheduler wants them named, with how often each occurs.
  [[nodiscard]] std::vector<hadoop::yarn::PreferredHost> places_of(
      const std::vector<std::string>& hosts) const;

 private:
  /// What the job has on a host.
  struct Share {
    size_t containers = 0;
    hadoop::yarn::Resource resources;
  };

  [[nodiscard]] std::map<std::string, Share> shares(const std::vector<Use>& asked) const;
  /// Returns how many containers of this shape fit into what is left.
  [[nodiscard]] size_t room(const hadoop::yarn::Resource& left,
                            const hadoop::yarn::Resource& each) const;

  Hosts hosts_;
  bool counts_vcores_ = true;
  std::map<std::string, std::string> racks_;  ///< By host; the others are in Hadoop's default.
  std::set<std::string> unusable_;
  std::map<hadoop::yarn::ContainerId, Use> held_;
};

}  // namespace muster::cluster::yarn
