#include "tony/reading.h"

#include "base/ascii.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

namespace muster::tony {
namespace {

template <class Number>
std::optional<Number> number_of(std::string_view text, int base = 10) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return !text.empty() && error == std::errc() && end == text.data() + text.size()
             ? std::optional(value)
             : std::nullopt;
}

/// Hadoop also reads 0x10.
std::optional<int64_t> hadoops_number_of(std::string_view text) {
  constexpr int kHexadecimal = 16;
  const bool is_hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  return is_hexadecimal ? number_of<int64_t>(text.substr(2), kHexadecimal)
                        : number_of<int64_t>(text);
}

}  // namespace

Result<uint64_t> parse_memory(std::string_view text) {
  const std::string low = ascii_lower(std::string(trim(text)));
  const size_t letter = low.find_first_of("mg");
  const std::optional<uint64_t> amount = number_of<uint64_t>(low.substr(0, letter));
  const std::string_view unit =
      letter == std::string::npos ? "m" : std::string_view(low).substr(letter);
  // TonY looks only at the first letter of the unit.
  const std::string_view rest = unit.substr(1);
  const bool known = rest.empty() || rest == "b" || rest == "ib";
  constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max() >> 30U;
  if (!amount || !known || *amount > kMost) {
    return user_error(
        fmt::format("\"{}\" is not an amount of memory; write 2048, 2048m or 2g", printable(text)));
  }
  return *amount << (unit.starts_with('g') ? 30U : 20U);
}

Result<spec::File> parse_resource(std::string_view text) {
  spec::File file;
  constexpr std::string_view kArchive = "#archive";
  if (ascii_lower(std::string(text)).ends_with(kArchive)) {
    text.remove_suffix(kArchive.size());
    file.unpack = spec::Unpack::Yes;
  }
  const size_t colons = text.find("::");
  file.src = text.substr(0, colons);
  if (colons != std::string_view::npos) {
    file.as = text.substr(colons + 2);
  }
  if (file.src.empty() || file.as.find("::") != std::string::npos) {
    return user_error(fmt::format("\"{}\" is not SOURCE[::NAME][#archive]", printable(text)));
  }
  if (file.unpack == spec::Unpack::Auto) {
    // TonY unpacks only files that are marked for it.
    constexpr std::string_view kEndings[] = {".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2"};
    for (const std::string_view ending : kEndings) {
      if (file.src.ends_with(ending)) {
        file.unpack = spec::Unpack::No;
      }
    }
  }
  return file;
}

void Reading::fail(const Property& property, std::string_view what) {
  if (error_) {
    error_ = user_error(fmt::format("{}: error: {}: {}", property.origin, property.name, what));
  }
}

void Reading::note(std::string name, std::string text, Note::Kind kind) {
  notes_.push_back({.name = std::move(name), .text = std::move(text), .kind = kind});
}

void Reading::refuse(const std::string& name, std::string_view what) {
  if (const Property* const found = properties_.take(name)) {
    fail(*found, what);
  }
}

std::string Reading::text(const std::string& name, const std::string& fallback) {
  const Property* const found = properties_.take(name);
  return found == nullptr || found->value.empty() ? fallback : found->value;
}

std::string Reading::lower(const std::string& name, const std::string& fallback) {
  return ascii_lower(text(name, fallback));
}

int64_t Reading::number(const std::string& name, int64_t fallback, int64_t least) {
  const Property* const found = properties_.take(name);
  if (found == nullptr || found->value.empty()) {
    return fallback;
  }
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  const auto value = hadoops_number_of(found->value);
  if (!value || *value > kMost || *value < least) {
    fail(*found, least < 0 ? fmt::format("must be a whole number, at most {}, not `{}`", kMost,
                                         printable(found->value))
                           : fmt::format("must be a whole number, {} to {}, not `{}`", least, kMost,
                                         printable(found->value)));
    return fallback;
  }
  return *value;
}

uint32_t Reading::count(const std::string& name, uint32_t fallback, uint32_t least) {
  return static_cast<uint32_t>(number(name, fallback, least));
}

uint32_t Reading::vcores(const std::string& name, uint32_t fallback) {
  const uint32_t cores = count(name, fallback, 0);
  if (cores == 0) {
    note(name, "0 counts as 1, the minimum that YARN grants", Note::Kind::Doubtful);
  }
  return std::max(cores, 1U);
}

bool Reading::flag(const std::string& name, bool fallback) {
  const std::string value = lower(name, fallback ? "true" : "false");
  if (value != "true" && value != "false") {
    note(name,
         fmt::format("`{}` is neither true nor false, and counts as {}, as in TonY",
                     printable(value), fallback),
         Note::Kind::Doubtful);
    return fallback;
  }
  return value == "true";
}

uint64_t Reading::memory(const std::string& name, uint64_t fallback) {
  const Property* const found = properties_.take(name);
  if (found == nullptr || found->value.empty()) {
    return fallback;
  }
  const Result<uint64_t> value = parse_memory(found->value);
  if (!value) {
    fail(*found, value.error().message);
    return fallback;
  }
  if (*value == 0) {
    fail(*found, "must be more than 0");
  }
  return *value;
}

std::vector<std::string> Reading::split_list(std::string_view text) {
  std::vector<std::string> parts;
  for (const std::string_view part : split(text, ',')) {
    if (const std::string_view word = trim(part); !word.empty()) {
      parts.emplace_back(word);
    }
  }
  return parts;
}

std::vector<std::string> Reading::trimmed_list(const std::string& name) {
  const Property* const found = properties_.take(name);
  return found == nullptr ? std::vector<std::string>() : split_list(found->value);
}

std::vector<std::string> Reading::list(const std::string& name) {
  const Property* const found = properties_.take(name);
  if (found == nullptr) {
    return {};
  }
  for (const std::string_view part : split(found->value, ',')) {
    if (const std::string_view word = trim(part); word.size() != part.size() && !word.empty()) {
      note(name,
           fmt::format("\"{}\" is read as {}; TonY took the blanks for part of it, so that it "
                       "matched nothing",
                       printable(part), printable(word)));
      break;
    }
  }
  return split_list(found->value);
}

void Reading::add_resources(const std::string& name, std::vector<spec::File>& to) {
  const Property* const found = properties_.take(name);
  if (found == nullptr) {
    return;
  }
  for (const std::string& entry : split_list(found->value)) {
    const Result<spec::File> file = parse_resource(entry);
    if (!file) {
      fail(*found, file.error().message);
      return;
    }
    to.push_back(*file);
  }
}

}  // namespace muster::tony
