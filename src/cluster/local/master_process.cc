#include "cluster/local/master_process.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace muster::cluster::local {
namespace {

constexpr uint64_t kArgumentsMax = 1U << 20;

}  // namespace

bool is_master_of(os::Files& files, int32_t pid, const JobFolder& job) {
  const Result<std::string> arguments =
      files.read(fmt::format("/proc/{}/cmdline", pid), kArgumentsMax);
  if (!arguments) {
    return false;
  }
  const std::vector<std::string_view> all = split(*arguments, '\0');
  return std::ranges::find(all, "master") != all.end() &&
         std::ranges::any_of(all, [&](std::string_view argument) {
           return std::filesystem::path(argument).filename() == job.root().filename();
         });
}

}  // namespace muster::cluster::local
