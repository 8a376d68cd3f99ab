#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace muster::hadoop::yarn {

/// An amount of one resource type. Units are those of YARN: "", k, M, G, T, P, Ki, Mi, Gi, Ti, Pi,
/// m, u, n, p; the cluster converts into its own.
struct Amount {
  int64_t value = 0;
  std::string unit;

  bool operator==(const Amount&) const = default;
};

/// The resource type of GPUs.
inline constexpr std::string_view kGpu = "yarn.io/gpu";

/// What a container may use, or what is left in a queue.
struct Resource {
  int64_t memory_mb = 0;
  int32_t vcores = 0;
  std::map<std::string, Amount> others;  ///< By name: "yarn.io/gpu", "yarn.io/fpga", site's own.

  bool operator==(const Resource&) const = default;
};

/// Add `more` to `sum`, or subtract it; amounts must be in the same units.
void add(Resource& sum, const Resource& more);
void take_off(Resource& from, const Resource& less);
/// Returns how much there is of another resource type; 0 if it is not listed.
[[nodiscard]] int64_t amount_of(const Resource& resource, const std::string& name);

/// Returns "2048 MB, 1 vcores, yarn.io/gpu 2", for users.
[[nodiscard]] std::string to_string(const Resource& resource);

}  // namespace muster::hadoop::yarn
