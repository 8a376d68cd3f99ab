#include "base/log.h"

#include "base/text.h"

namespace muster::log {
namespace {

std::string_view name_of(Level level) {
  switch (level) {
    case Level::Debug:
      return "debug";
    case Level::Info:
      return "info";
    case Level::Warning:
      return "warning";
    case Level::Error:
      return "error";
  }
  return "?";
}

bool needs_quotes(std::string_view value) {
  return value.empty() || value.find_first_of(" \t\n\r\"=\\") != std::string_view::npos ||
         printable(value) != value;
}

}  // namespace

std::string format_line(Level level, std::string_view event, std::initializer_list<Field> fields) {
  std::string line = fmt::format("{} {}", name_of(level), event);
  for (const Field& field : fields) {
    line += ' ';
    line += field.key;
    line += '=';
    line += needs_quotes(field.value) ? json_quote(field.value) : field.value;
  }
  return line;
}

}  // namespace muster::log
