#include "keeper/command.h"

#include <charconv>
#include <cstdio>

namespace muster::keeper {
namespace {

constexpr int kBadUsage = 2;
constexpr int kFirstDescriptor = 3;

std::optional<int> parse_descriptor(const std::string& text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number < kFirstDescriptor) {
    return std::nullopt;
  }
  return number;
}

}  // namespace

std::optional<Options> parse_command(const std::string& program,
                                     const std::vector<std::string>& arguments) {
  Options options;
  options.agent_argv = {program, "agent"};
  for (size_t i = 0; i < arguments.size(); i += 2) {
    if (i + 1 == arguments.size()) {
      return std::nullopt;
    }
    if (arguments[i] == "--claim-file") {
      options.remove_at_end = arguments[i + 1];
      continue;
    }
    const std::optional<int> fd = parse_descriptor(arguments[i + 1]);
    if (!fd) {
      return std::nullopt;
    }
    if (arguments[i] == "--order-fd") {
      options.handed.push_back(*fd);
    } else if (arguments[i] == "--claim-fd") {
      options.held.push_back(*fd);
    } else {
      return std::nullopt;
    }
    options.agent_argv.insert(options.agent_argv.end(), {arguments[i], arguments[i + 1]});
  }
  if (options.handed.size() != 1) {
    return std::nullopt;
  }
  return options;
}

int run_command(const std::string& program, const std::vector<std::string>& arguments) {
  const std::optional<Options> options = parse_command(program, arguments);
  if (!options) {
    std::fputs("muster keeper: invalid arguments; only Muster itself starts it\n", stderr);
    return kBadUsage;
  }
  return run(*options);
}

}  // namespace muster::keeper
