#include "verdict/fallback.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>

namespace muster::verdict {
namespace {

struct Number {
  int32_t number;
  std::string_view class_name;
};

/// Linux error numbers, as "[Errno 13]" or "errno: 13" has them.
constexpr Number kErrors[] = {
    {1, "user.permission"},
    {2, "user.missing_file"},
    {5, "disk.io"},
    {11, "limit.processes"},
    {12, "memory.allocation"},
    {13, "user.permission"},
    {17, "user.traceback"},
    {20, "user.missing_file"},
    {21, "user.missing_file"},
    {22, "user.traceback"},
    {24, "limit.files"},
    {27, "limit.file_size"},
    {28, "disk.full"},
    {30, "disk.read_only"},
    {32, "peer.lost"},
    {98, "port.in_use"},
    {99, "network.unreachable"},
    {101, "network.unreachable"},
    {104, "peer.lost"},
    {110, "network.timeout"},
    {111, "peer.refused"},
    {113, "network.unreachable"},
    {116, "disk.io"},
    {122, "disk.quota"},
};

struct Type {
  std::string_view ending;  ///< Of the type's name, without its module.
  std::string_view class_name;
};

/// The first that fits holds; specific names come before what they end with.
constexpr Type kTypes[] = {
    {"ModuleNotFoundError", "user.import"},
    {"ImportError", "user.import"},
    {"SyntaxError", "user.syntax"},
    {"ParseError", "user.data"},
    {"ParserError", "user.data"},
    {"ParseException", "user.data"},
    {"DecodeError", "user.data"},
    {"FormatException", "user.data"},
    {"SchemaError", "user.data"},
    {"CastError", "user.data"},
    {"FileNotFoundException", "user.missing_file"},
    {"NoSuchFileException", "user.missing_file"},
    {"NotFoundError", "user.missing_file"},
    {"NotFoundException", "user.missing_file"},
    {"PermissionError", "user.permission"},
    {"AccessDeniedException", "user.permission"},
    {"AuthenticationError", "user.credentials"},
    {"AuthorizationError", "user.credentials"},
    {"UnauthorizedError", "user.credentials"},
    {"ForbiddenError", "user.credentials"},
    {"TimeoutError", "network.timeout"},
    {"TimeoutException", "network.timeout"},
    {"ConnectException", "peer.refused"},
    {"ConnectionError", "network.download"},
    {"HTTPError", "network.download"},
    {"SSLError", "network.download"},
    {"UnavailableError", "peer.lost"},
    {"AbortedError", "peer.lost"},
    {"MemoryError", "memory.allocation"},
    {"OutOfMemoryError", "memory.allocation"},
    {"StackOverflowError", "user.traceback"},
    {"UsageError", "user.arguments"},
    {"ArgumentError", "user.arguments"},
    {"BadParameter", "user.arguments"},
    {"AssertionError", "user.assertion"},
    {"ConfigurationError", "user.traceback"},
    {"ConfigError", "user.traceback"},
    {"MisconfigurationException", "user.traceback"},
    {"ValidationError", "user.traceback"},
    {"ValueError", "user.traceback"},
    {"TypeError", "user.traceback"},
    {"KeyError", "user.traceback"},
    {"IndexError", "user.traceback"},
    {"AttributeError", "user.traceback"},
    {"NotImplementedError", "user.traceback"},
    {"FailedPreconditionError", "user.traceback"},
    {"OutOfRangeError", "user.traceback"},
    {"UnimplementedError", "user.traceback"},
    {"NullPointerException", "user.traceback"},
    {"IllegalArgumentException", "user.traceback"},
    {"IllegalStateException", "user.traceback"},
    {"OutOfBoundsException", "user.traceback"},
    {"ClassCastException", "user.traceback"},
    {"UnsupportedOperationException", "user.traceback"},
    {"ArithmeticException", "user.traceback"},
    {"NoSuchElementException", "user.traceback"},
};

bool is_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '$';
}

/// The number behind "[Errno " or "errno: ", if any.
std::optional<int32_t> errno_of(std::string_view text) {
  for (const std::string_view mark : {"[Errno ", "errno: ", "errno="}) {
    const size_t at = text.find(mark);
    if (at == std::string_view::npos) {
      continue;
    }
    int32_t number = 0;
    const char* begin = text.data() + at + mark.size();
    const auto read = std::from_chars(begin, text.data() + text.size(), number);
    if (read.ec == std::errc{}) {
      return number;
    }
  }
  return std::nullopt;
}

/// "ValueError" of "a.b.ValueError: text", also behind "Caused by: " or a thread's name. Empty if
/// the line has no such name.
std::string_view type_of(std::string_view line) {
  for (size_t colon = line.find(':'); colon != std::string_view::npos;
       colon = line.find(':', colon + 1)) {
    size_t begin = colon;
    while (begin > 0 && is_name(line[begin - 1])) {
      --begin;
    }
    std::string_view name = line.substr(begin, colon - begin);
    name = name.substr(name.find_last_of(".$") + 1);
    if (name.ends_with("Error") || name.ends_with("Exception")) {
      return name;
    }
  }
  const std::string_view bare = trim(line);
  const bool one_word = !bare.empty() && std::ranges::all_of(bare, is_name);
  const std::string_view name = bare.substr(bare.rfind('.') + 1);
  return one_word && (name.ends_with("Error") || name.ends_with("Exception")) ? name
                                                                              : std::string_view{};
}

/// The package that raised a Python error ("torch"); empty for the program's own code, or if
/// nothing is known.
std::string_view package_of(const LastWords& words) {
  std::string_view package;
  for (const std::string& line : words.context) {
    if (!trim(line).starts_with("File ")) {
      continue;
    }
    constexpr std::string_view kFolder = "-packages/";
    const size_t at = line.rfind(kFolder);
    package = {};
    if (at != std::string::npos) {
      package = std::string_view(line).substr(at + kFolder.size());
      package = package.substr(0, package.find_first_of("/\"."));
    }
  }
  return package;
}

}  // namespace

std::optional<Fallback> fall_back(const LastWords& words) {
  if (const std::optional<int32_t> number = errno_of(words.final_error)) {
    const auto row = std::ranges::find(kErrors, *number, &Number::number);
    if (row != std::end(kErrors)) {
      return Fallback{row->class_name, fmt::format("by error number {}", *number)};
    }
  }
  std::string_view type;
  for (const std::string_view line : split(words.final_error, '\n')) {
    if (const std::string_view found = type_of(line); !found.empty()) {
      type = found;
    }
  }
  const auto row =
      std::ranges::find_if(kTypes, [&](const Type& one) { return type.ends_with(one.ending); });
  if (!type.empty() && row != std::end(kTypes)) {
    return Fallback{row->class_name, fmt::format("by the type {}", type)};
  }
  // A launcher's error tells nothing of the program that it started.
  const bool launched = type == "ChildFailedError" || type == "CalledProcessError";
  const std::string_view package = package_of(words);
  if (words.uncaught && !package.empty() && !launched) {
    return Fallback{"user.traceback", fmt::format("raised by {}", package)};
  }
  if (type == "RuntimeError" && !words.uncaught) {
    return Fallback{"user.traceback", "by the type RuntimeError"};
  }
  return std::nullopt;
}

}  // namespace muster::verdict
