#include "hadoop/yarn/ids.h"

#include <fmt/format.h>

#include <charconv>
#include <vector>

namespace muster::hadoop::yarn {
namespace {

// The container's own number; the bits above hold the resource manager's epoch.
constexpr int kEpochShift = 40;
constexpr int64_t kNumberMask = (int64_t{1} << kEpochShift) - 1;

Error malformed(std::string_view what, std::string_view text, std::string_view form) {
  return {.code = Errc::InvalidArgument,
          .blame = Blame::User,
          .message = fmt::format("`{}` is not {}; such an id looks like {}", text, what, form)};
}

template <class Number>
bool read(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() && !text.empty() && number >= 0;
}

// Returns the parts between '_' if the first is `word`, else nothing.
std::vector<std::string_view> parts_after(std::string_view word, std::string_view text) {
  std::vector<std::string_view> parts;
  while (true) {
    const auto cut = text.find('_');
    parts.push_back(text.substr(0, cut));
    if (cut == std::string_view::npos) {
      break;
    }
    text.remove_prefix(cut + 1);
  }
  if (parts.front() != word) {
    return {};
  }
  parts.erase(parts.begin());
  return parts;
}

}  // namespace

std::string to_string(const ApplicationId& id) {
  return fmt::format("application_{}_{:04}", id.cluster_timestamp, id.number);
}

std::string to_string(const ContainerId& id) {
  const auto epoch = id.number >> kEpochShift;
  const auto prefix = epoch > 0 ? fmt::format("e{:02}_", epoch) : std::string();
  const auto& application = id.attempt.application;
  return fmt::format("container_{}{}_{:04}_{:02}_{:06}", prefix, application.cluster_timestamp,
                     application.number, id.attempt.number, id.number & kNumberMask);
}

std::string to_string(const NodeId& id) { return fmt::format("{}:{}", id.host, id.port); }

Result<ApplicationId> parse_application_id(std::string_view text) {
  const auto parts = parts_after("application", text);
  ApplicationId id;
  if (parts.size() != 2 || !read(parts[0], id.cluster_timestamp) || !read(parts[1], id.number)) {
    return malformed("an application id", text, "application_1700000000000_0001");
  }
  return id;
}

Result<ContainerId> parse_container_id(std::string_view text) {
  auto parts = parts_after("container", text);
  ContainerId id;
  int64_t epoch = 0;
  bool good = true;
  if (parts.size() == 5) {
    good = parts[0].starts_with('e') && read(parts[0].substr(1), epoch) &&
           epoch < (int64_t{1} << (62 - kEpochShift));
    parts.erase(parts.begin());
  }
  auto& application = id.attempt.application;
  good = good && parts.size() == 4 && read(parts[0], application.cluster_timestamp) &&
         read(parts[1], application.number) && read(parts[2], id.attempt.number) &&
         read(parts[3], id.number) && id.number <= kNumberMask;
  if (!good) {
    return malformed("a container id", text, "container_1700000000000_0001_01_000001");
  }
  id.number |= epoch << kEpochShift;
  return id;
}

}  // namespace muster::hadoop::yarn
