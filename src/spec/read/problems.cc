#include "spec/read/problems.h"

#include "base/check.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>
#include <unordered_set>

namespace muster::spec {
namespace {

constexpr size_t kLinesMax = 10;

/// Reduces a message to one line of reasonable length.
std::string one_line(std::string_view message) {
  constexpr size_t kLength = 400;
  std::string out;
  for (const char c : message.substr(0, kLength)) {
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else {
      out += c;
    }
  }
  out = printable(out);
  return message.size() > kLength ? out + "..." : out;
}

}  // namespace

void Problems::add(const Origin& origin, std::string message) {
  const std::string name = origin.source == nullptr ? "" : origin.source->name;
  auto found = std::ranges::find(sources_, name);
  if (found == sources_.end()) {
    sources_.push_back(name);
    found = sources_.end() - 1;
  }
  found_.push_back({.source = static_cast<size_t>(found - sources_.begin()),
                    .origin = origin,
                    .message = std::move(message)});
}

std::vector<std::string> Problems::messages() const {
  std::vector<std::string> all;
  for (const Problem& problem : found_) {
    all.push_back(problem.message);
  }
  return all;
}

Error Problems::error() const {
  MUSTER_CHECK(!found_.empty(), "an error needs a problem");
  std::vector<size_t> order(found_.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, {}, [&](size_t index) {
    const Problem& problem = found_[index];
    return std::tuple(problem.source, problem.origin.line, problem.origin.column, index);
  });
  std::vector<std::string> lines;
  std::unordered_set<std::string> seen;
  for (const size_t index : order) {
    const Problem& problem = found_[index];
    std::string line =
        one_line(fmt::format("{}: error: {}", to_string(problem.origin), problem.message));
    if (seen.insert(line).second && lines.size() < kLinesMax) {
      lines.push_back(std::move(line));
    }
  }
  if (seen.size() > kLinesMax) {
    lines.back() = fmt::format("and {} more errors", seen.size() - (kLinesMax - 1));
  }
  return user_error(join(lines, "\n"));
}

}  // namespace muster::spec
