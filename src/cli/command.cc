#include "cli/command.h"

#include "base/text.h"

#include <algorithm>

namespace muster::cli {

const Command* find_command(const Table& table, std::span<const std::string> arguments) {
  const Command* longest = nullptr;
  for (const Command& each : table.rows) {
    const std::vector<std::string_view> names = split(each.name, ' ');
    const bool fits = names.size() <= arguments.size() &&
                      std::equal(names.begin(), names.end(), arguments.begin());
    if (fits && (longest == nullptr || each.name.size() > longest->name.size())) {
      longest = &each;
    }
  }
  return longest;
}

const Parameter* find_option(const Command& command, std::string_view name) {
  for (const Parameter& each : command.parameters) {
    if (each.is_option() && std::ranges::find(each.names, name) != each.names.end()) {
      return &each;
    }
  }
  return nullptr;
}

}  // namespace muster::cli
