#pragma once

#include "spec/keys/row.h"
#include "spec/spec.h"

#include <chrono>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace muster::spec {

/// The maximum number of tasks of a role, and of a job.
inline constexpr int64_t kTasksMax = 100'000;

/// The maxima that a site allows; nullopt allows everything. Sizes in bytes.
struct Limits {
  std::optional<uint32_t> tasks;
  std::optional<Bytes> memory;
  std::optional<uint32_t> vcores;
  std::optional<uint32_t> gpus;
  std::optional<Bytes> total_memory;
  std::optional<uint32_t> total_vcores;
  std::optional<uint32_t> total_gpus;
  std::optional<Duration> run;

  bool operator==(const Limits&) const = default;
};

enum class ClusterType : uint8_t { Local, Yarn, Spark };
[[nodiscard]] std::string_view to_string(ClusterType value);

/// A cluster that a site has given a name to.
struct ClusterEntry {
  ClusterType type = ClusterType::Local;
  std::string conf;  ///< The folder with the cluster's configuration; empty: where it is looked for
                     ///< by default.

  bool operator==(const ClusterEntry&) const = default;
};

/// How long ended jobs are kept, and who removes them.
struct PortalRules {
  std::vector<std::string> admins;  ///< Who may see every job in a team's portal.

  bool operator==(const PortalRules&) const = default;
};

struct Cleaning {
  /// nullopt: nothing is removed automatically.
  std::optional<Duration> older = std::chrono::hours(24 * 30);
  Bytes over = Bytes{5} << 30;  ///< Of all jobs on one machine.

  bool operator==(const Cleaning&) const = default;
};

/// The ways into a running job.
enum class Reach : uint8_t { Exec, Shell, Cp, Forward, Debug, Notebook };
[[nodiscard]] std::string_view to_string(Reach value);

/// A rule of a site: these ways into these jobs are closed.
struct Prohibition {
  std::vector<Reach> verbs;         ///< Empty: all.
  std::vector<std::string> queues;  ///< Of YARN, as yarn.queue names them; empty: all.
  std::vector<std::string> roles;   ///< Empty: all.
  std::string why;                  ///< For the person who is refused; may be empty.
  std::string place;                ///< Where it stands: "/etc/muster/site.yaml:4:5".

  bool operator==(const Prohibition&) const = default;
};

/// The tables of keys: the one place where a key is declared. The field it fills is in settings.h
/// or spec.h.
[[nodiscard]] std::span<const Row> spec_rows();
[[nodiscard]] std::span<const Row> role_rows();
[[nodiscard]] std::span<const Row> limits_rows();
[[nodiscard]] std::span<const Row> cluster_rows();
[[nodiscard]] std::span<const Row> cleaning_rows();
[[nodiscard]] std::span<const Row> portal_rows();
[[nodiscard]] std::span<const Row> forbidden_rows();

}  // namespace muster::spec
