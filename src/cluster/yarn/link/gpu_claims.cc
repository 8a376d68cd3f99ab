#include "cluster/yarn/link/gpu_claims.h"

#include "rt/unix_address.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <ctime>
#include <optional>
#include <sys/socket.h>
#include <utility>

namespace muster::cluster::yarn {
namespace {

constexpr Duration kLook = std::chrono::milliseconds(50);
constexpr timespec kPause{0, 50'000'000};

/// Takes a name that only one process of the host can have; nullopt if another has it.
Result<std::optional<rt::Fd>> take_name(const std::string& name) {
  rt::Fd fd(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!fd.valid()) {
    return system_error(errno, "cannot make a socket to claim a GPU");
  }
  const rt::UnixAddress address = rt::UnixAddress::of_name(name);
  if (::bind(fd.get(), address.get(), address.size()) == 0) {
    return std::optional<rt::Fd>(std::move(fd));
  }
  if (errno == EADDRINUSE) {
    return std::optional<rt::Fd>();
  }
  return system_error(errno, "cannot claim a GPU");
}

std::string name_of(const os::Gpu& gpu) {
  return fmt::format("muster-gpu/{}", gpu.uuid.empty() ? std::to_string(gpu.index) : gpu.uuid);
}

Result<GpuClaims> take_free(const std::vector<os::Gpu>& seen, size_t count) {
  GpuClaims claims;
  for (const os::Gpu& gpu : seen) {
    if (claims.indices.size() == count) {
      break;
    }
    MUSTER_TRY(std::optional<rt::Fd> name, take_name(name_of(gpu)));
    if (name.has_value()) {
      claims.indices.push_back(gpu.index);
      claims.held.push_back(*std::move(name));
    }
  }
  return claims;
}

}  // namespace

Result<GpuClaims> claim_gpus(const std::vector<os::Gpu>& seen, size_t count, Duration patience) {
  if (seen.size() <= count) {
    GpuClaims all;
    for (const os::Gpu& gpu : seen) {
      all.indices.push_back(gpu.index);
    }
    return all;
  }
  for (Duration waited{};; waited += kLook) {
    MUSTER_TRY(GpuClaims claims, take_free(seen, count));
    if (claims.indices.size() == count) {
      return claims;
    }
    if (waited >= patience) {
      return Error{Errc::Unavailable, Blame::Cluster,
                   fmt::format("the cluster granted {0} GPUs here, but other containers use all "
                               "but {2} of this host's {1}",
                               count, seen.size(), claims.indices.size())};
    }
    claims.held.clear();
    // lint: allow(sleep) nothing but this container's start waits, and it has no loop yet
    ::nanosleep(&kPause, nullptr);
  }
}

}  // namespace muster::cluster::yarn
