#include "agent/stacks/flight_dump.h"

#include "os/host/proc_text.h"
#include "rt/fd.h"
#include "stacks/flight_record.h"
#include "stacks/pickle.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <fcntl.h>
#include <optional>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

namespace muster::agent {
namespace {

/// Returns what precedes the rank in the names of dumps: the variable alone if one is set, else the
/// defaults of newer and of older versions.
std::vector<std::string> prefixes(std::string_view environ) {
  for (const std::string_view name :
       {"TORCH_FR_DUMP_TEMP_FILE", "TORCH_NCCL_DEBUG_INFO_TEMP_FILE"}) {
    if (std::string set = os::variable_in(environ, name); !set.empty()) {
      return {std::move(set)};
    }
  }
  const std::string cache = os::variable_in(environ, "XDG_CACHE_HOME");
  const std::string home = os::variable_in(environ, "HOME");
  return {(cache.empty() ? home + "/.cache" : cache) + "/torch/comm_lib_trace_rank_",
          "/tmp/nccl_trace_rank_"};
}

double seconds_of(const timespec& time) {
  return static_cast<double>(time.tv_sec) + (static_cast<double>(time.tv_nsec) / 1e9);
}

/// Returns when the process began, in seconds since 1970; a second early, as ticks are coarse.
double start_of(const os::ProcessInfo& process) {
  timespec now{};
  timespec up{};
  // lint: allow(clock) the probe has no loop
  ::clock_gettime(CLOCK_REALTIME, &now);
  // lint: allow(clock) as above
  ::clock_gettime(CLOCK_BOOTTIME, &up);
  const auto ticks = static_cast<double>(std::max(1L, ::sysconf(_SC_CLK_TCK)));
  return seconds_of(now) - seconds_of(up) + (static_cast<double>(process.start_ticks) / ticks) - 1;
}

/// A file in /tmp may belong to anybody, be a pipe, or come from an earlier job.
std::optional<std::string> read_own(const std::string& path, double since) {
  const rt::Fd file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  struct stat about{};
  if (file.get() < 0 || ::fstat(file.get(), &about) != 0 || !S_ISREG(about.st_mode) ||
      about.st_uid != ::geteuid() || seconds_of(about.st_mtim) < since || about.st_size <= 0 ||
      static_cast<uint64_t>(about.st_size) > stacks::kPickleBytesMax) {
    return std::nullopt;
  }
  std::string text(static_cast<size_t>(about.st_size), '\0');
  size_t have = 0;
  while (have < text.size()) {
    const ssize_t got =
        ::pread(file.get(), text.data() + have, text.size() - have, static_cast<off_t>(have));
    if (got <= 0) {
      return std::nullopt;
    }
    have += static_cast<size_t>(got);
  }
  return text;
}

}  // namespace

std::vector<stacks::Collectives> read_flight_dump(const os::ProcessInfo& process) {
  const std::string environ = os::read_proc(fmt::format("/proc/{}/environ", process.pid.value));
  const std::string rank = os::variable_in(environ, "RANK");
  if (!os::parse_decimal(rank)) {
    return {};
  }
  for (const std::string& prefix : prefixes(environ)) {
    const std::optional<std::string> dump = read_own(prefix + rank, start_of(process));
    if (!dump) {
      continue;
    }
    if (Result<std::vector<stacks::Collectives>> read = stacks::read_flight_record(*dump); read) {
      return *std::move(read);
    }
  }
  return {};
}

}  // namespace muster::agent
