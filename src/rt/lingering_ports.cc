#include "rt/lingering_ports.h"

#include "base/text.h"

#include <charconv>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::rt {
namespace {

/// The local port of a row's address, as in "0100007F:1F90".
std::optional<uint16_t> port_of(std::string_view address) {
  const size_t colon = address.rfind(':');
  uint16_t port = 0;
  if (colon == std::string_view::npos ||
      std::from_chars(address.data() + colon + 1, address.data() + address.size(), port, 16).ec !=
          std::errc()) {
    return std::nullopt;
  }
  return port;
}

}  // namespace

std::set<uint16_t> lingering_ports() {
  std::set<uint16_t> lingering;
  std::set<uint16_t> used;
  for (const char* table : {"/proc/net/tcp", "/proc/net/tcp6"}) {
    std::ifstream lines(table);
    std::string line;
    std::getline(lines, line);  // The names of the columns.
    while (std::getline(lines, line)) {
      std::vector<std::string_view> fields;
      for (const std::string_view field : split(trim(line), ' ')) {
        if (!field.empty()) {
          fields.push_back(field);
        }
      }
      constexpr std::string_view kTimeWait = "06";
      const auto port = fields.size() < 4 ? std::nullopt : port_of(fields[1]);
      if (port.has_value()) {
        (fields[3] == kTimeWait ? lingering : used).insert(*port);
      }
    }
  }
  for (const uint16_t port : used) {
    lingering.erase(port);
  }
  return lingering;
}

}  // namespace muster::rt
