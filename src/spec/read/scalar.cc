#include "spec/read/scalar.h"

#include "base/ascii.h"
#include "base/text.h"
#include "spec/duration_text.h"
#include "spec/size.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace muster::spec::scalar {
namespace {

/// Says which value of a choice was probably meant, or what to do instead; "" if there is no guess.
std::string meant_choice(std::string_view value, const Row& row,
                         std::span<const std::string_view> names) {
  const std::string lower = ascii_lower(std::string(value));
  for (const std::string_view pair : split(row.notes.also_values, ' ')) {
    const size_t sign = pair.find('=');
    if (sign != std::string_view::npos && pair.substr(0, sign) == lower) {
      return fmt::format("; did you mean `{}`?", pair.substr(sign + 1));
    }
  }
  const std::optional<std::string_view> meant = nearest(lower, names);
  return meant ? fmt::format("; did you mean `{}`?", *meant) : std::string(row.notes.no_such_value);
}

}  // namespace

std::optional<std::string_view> text(Decoder& decoder, const Node& node, const Row& row,
                                     std::string_view wanted) {
  if (node.kind == Node::Kind::Scalar) {
    return node.text;
  }
  if (node.kind != Node::Kind::Null) {
    decoder.fail(node, fmt::format("{}: must be {}, not {}", row.name, wanted, describe(node)));
  } else if (!decoder.null_is_unset) {
    decoder.fail(node, fmt::format("{}: has no value", row.name));
  }
  return std::nullopt;
}

void decode_text(Decoder& decoder, const Node& node, const Row& row, std::string& out) {
  const auto value = text(decoder, node, row, "text");
  if (!value.has_value()) {
    return;
  }
  const std::string wrong = row.notes.check == nullptr ? "" : row.notes.check(*value);
  if (!wrong.empty()) {
    decoder.fail(node, fmt::format("{}: {}", row.name, wrong));
    return;
  }
  out = std::string(*value);
}

void decode_bool(Decoder& decoder, const Node& node, const Row& row, bool& out) {
  const auto value = text(decoder, node, row, "true or false");
  if (!value.has_value()) {
    return;
  }
  const std::string lower = ascii_lower(std::string(*value));
  const bool yes = lower == "true" || lower == "yes" || lower == "on";
  const bool no = lower == "false" || lower == "no" || lower == "off";
  if (!yes && !no) {
    decoder.fail(node, fmt::format("{}: must be true or false, not `{}`", row.name, *value));
  } else if (node.quoted) {
    decoder.fail(node, fmt::format("{}: must be true or false; remove the quotes around `{}`",
                                   row.name, *value));
  } else {
    out = yes;
  }
}

std::optional<int64_t> whole_number(Decoder& decoder, const Node& node, const Row& row, int64_t min,
                                    int64_t max) {
  const auto value = text(decoder, node, row, "a whole number");
  if (!value.has_value()) {
    return std::nullopt;
  }
  const auto refuse = [&](const std::string& why) {
    decoder.fail(node, fmt::format("{}: {}", row.name, why));
    return std::nullopt;
  };
  int64_t number = 0;
  const auto [end, problem] = std::from_chars(value->data(), value->data() + value->size(), number);
  if (end != value->data() + value->size() || problem == std::errc::invalid_argument) {
    return refuse(fmt::format("must be a whole number, not `{}`", *value));
  }
  if (node.quoted) {
    return refuse(fmt::format("must be a whole number; remove the quotes around `{}`", *value));
  }
  const bool negative = value->starts_with('-');
  const std::string_view digits = value->substr(negative ? 1 : 0);
  if (digits.size() > 1 && digits.starts_with('0')) {
    return refuse(fmt::format("write `{}` without leading zeros", *value));
  }
  const bool overflow = problem == std::errc::result_out_of_range;
  if (overflow ? negative : number < min) {
    return refuse(fmt::format("must be at least {}, not {}", min, *value));
  }
  if (overflow || number > max) {
    return refuse(fmt::format("must be at most {}, not {}", max, *value));
  }
  return number;
}

void decode_size(Decoder& decoder, const Node& node, const Row& row, Bytes& out) {
  const auto value = text(decoder, node, row, "a size like 512m or 2g");
  if (!value.has_value()) {
    return;
  }
  const Result<Bytes> size = parse_size(*value);
  const auto min = static_cast<Bytes>(row.notes.min.value_or(0));
  if (!size.has_value()) {
    decoder.fail(node, fmt::format("{}: {}", row.name, size.error().message));
  } else if (*size < min) {
    decoder.fail(
        node, fmt::format("{}: must be at least {}, not {}", row.name, format_size(min), *value));
  } else {
    out = *size;
  }
}

void decode_duration(Decoder& decoder, const Node& node, const Row& row,
                     std::optional<Duration>& out) {
  const auto value = text(decoder, node, row, "a duration like 15s or 10m");
  if (!value.has_value()) {
    if (node.kind == Node::Kind::Null && decoder.null_is_unset) {
      out.reset();
    }
    return;
  }
  if (*value == "none") {
    if (row.notes.none) {
      out.reset();
    } else {
      decoder.fail(node,
                   fmt::format("{}: cannot be none; write a duration like 15s or 10m", row.name));
    }
    return;
  }
  const Result<Duration> duration = parse_duration(*value);
  const Duration min(row.notes.min.value_or(0));
  if (!duration.has_value()) {
    decoder.fail(node, fmt::format("{}: {}", row.name, duration.error().message));
  } else if (*duration < min) {
    decoder.fail(
        node, fmt::format("{}: must be at least {}, not {}{}", row.name, duration_text(min), *value,
                          row.notes.none ? "; write none for no limit" : ""));
  } else {
    out = *duration;
  }
}

std::optional<size_t> choice(Decoder& decoder, const Node& node, const Row& row,
                             std::span<const std::string_view> names) {
  std::vector<std::string> all(names.begin(), names.end());
  const auto value = text(decoder, node, row, "one of " + join(all, ", "));
  if (!value.has_value()) {
    return std::nullopt;
  }
  std::string_view wanted = *value;
  // In YAML yes and no are truth values too, and some programs convert them to true and false.
  if (!node.quoted && (wanted == "true" || wanted == "false")) {
    wanted = wanted == "true" ? "yes" : "no";
  }
  const auto found = std::ranges::find(names, wanted);
  if (found != names.end()) {
    return static_cast<size_t>(found - names.begin());
  }
  decoder.fail(node, fmt::format("{}: must be one of {}, not `{}`{}", row.name, join(all, ", "),
                                 *value, meant_choice(*value, row, names)));
  return std::nullopt;
}

Shape number_shape(const Row& row, int64_t min, int64_t max) {
  std::string type = "whole number";
  if (row.notes.max.has_value()) {
    type += fmt::format(" from {} to {}", min, max);
  } else if (row.notes.min.has_value()) {
    type += fmt::format(", at least {}", min);
  }
  return {.type = type,
          .json = fmt::format(R"({{"type":"integer","minimum":{},"maximum":{}}})", min, max)};
}

Shape text_shape() { return {.type = "text", .json = R"({"type":"string"})"}; }

Shape size_shape(const Row& row) {
  std::string type = "size";
  if (row.notes.min.has_value()) {
    type += fmt::format(", at least {}", format_size(static_cast<Bytes>(*row.notes.min)));
  }
  return {.type = type, .json = R"({"type":"string","pattern":"^[0-9]+[bkmgt]$"})"};
}

Shape duration_shape(const Row& row, bool none) {
  constexpr std::string_view kNumber = "[0-9]+(us|ms|s|m|h|d)";
  std::string type = "duration";
  if (row.notes.min.has_value()) {
    type +=
        fmt::format(", at least {}{}", duration_text(Duration(*row.notes.min)), none ? "," : "");
  }
  return {.type = type + (none ? " or none" : ""),
          .json = none ? fmt::format(R"({{"type":"string","pattern":"^({}|none)$"}})", kNumber)
                       : fmt::format(R"({{"type":"string","pattern":"^{}$"}})", kNumber)};
}

Shape choice_shape(std::vector<std::string_view> names) {
  const std::vector<std::string> all(names.begin(), names.end());
  std::vector<std::string> quoted;
  for (const std::string_view name : names) {
    quoted.push_back(json_quote(name));
  }
  return {.type = "one of " + join(all, ", "),
          .json = fmt::format(R"({{"type":"string","enum":[{}]}})", join(quoted, ",")),
          .choices = std::move(names)};
}

}  // namespace muster::spec::scalar
