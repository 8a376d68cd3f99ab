#include "cluster/local/host_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace muster::cluster::local {

job::HostName choose_host(const job::RequestContainer& request, uint32_t hosts,
                          const std::vector<job::HostName>& used) {
  constexpr int64_t kAvoided = 1'000'000'000;
  constexpr int64_t kPreferred = -1'000'000;
  std::map<job::HostName, int64_t> cost;
  for (uint32_t number = 1; number <= std::max(1U, hosts); ++number) {
    cost[job::HostName{fmt::format("h{}", number)}] = 0;
  }
  const auto add = [&cost](const job::HostName& name, int64_t more) {
    if (const auto host = cost.find(name); host != cost.end()) {
      host->second += more;
    }
  };
  for (size_t i = 0; i < request.avoid.size(); ++i) {
    add(request.avoid[i],
        kAvoided * static_cast<int64_t>(request.avoid.size() - i));  // Worst first.
  }
  for (const job::HostName& name : request.prefer) {
    add(name, kPreferred);
  }
  for (const job::HostName& name : used) {
    add(name, 1);
  }
  const auto best = std::ranges::min_element(cost, [](const auto& a, const auto& b) {
    return std::pair(a.second, a.first.value.size()) < std::pair(b.second, b.first.value.size());
  });
  return best->first;
}

}  // namespace muster::cluster::local
