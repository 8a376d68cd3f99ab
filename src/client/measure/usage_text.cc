#include "client/measure/usage_text.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace muster::client {
namespace {

std::string rate_text(double rate) {
  return rate >= 100 ? fmt::format("{:.0f}", rate) : fmt::format("{:.3g}", rate);
}

std::string bytes_text(double bytes) {
  std::string text = format_bytes(static_cast<uint64_t>(std::max(bytes, 0.0)));
  std::erase(text, ' ');
  if (text.ends_with("iB")) {
    text.erase(text.size() - 2);
  }
  return text;
}

}  // namespace

std::string cpu_text(const TopUsage& usage) {
  return usage.cpu ? fmt::format("{:.2f}", *usage.cpu) : "";
}

std::string memory_text(const TopUsage& usage) {
  if (!usage.memory_bytes) {
    return "";
  }
  const std::string used = bytes_text(*usage.memory_bytes);
  return usage.memory_limit_bytes ? used + "/" + bytes_text(*usage.memory_limit_bytes) : used;
}

std::string gpu_text(const TopUsage& usage) {
  return usage.gpu ? fmt::format("{:.0f}%", *usage.gpu * 100) : "";
}

std::string steps_text(const TopUsage& usage) {
  return usage.steps_per_second ? rate_text(*usage.steps_per_second) : "";
}

std::string usage_text(const TopUsage& usage) {
  std::vector<std::string> parts;
  const auto add = [&parts](std::string_view before, const std::string& value,
                            std::string_view after) {
    if (!value.empty()) {
      parts.push_back(fmt::format("{}{}{}", before, value, after));
    }
  };
  add("cpu ", cpu_text(usage), "");
  add("memory ", memory_text(usage), "");
  add("gpu ", gpu_text(usage), "");
  add("", steps_text(usage), " steps/s");
  return join(parts, ", ");
}

}  // namespace muster::client
