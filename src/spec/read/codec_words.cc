#include "base/text.h"
#include "spec/duration_text.h"
#include "spec/read/codec.h"
#include "spec/size.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <optional>
#include <utility>

// The values with a notation of their own that is one word: sizes, durations, signals, ranges,
// mounts.

namespace muster::spec {
namespace {

constexpr std::array<std::pair<std::string_view, int32_t>, 22> kSignals = {
    {{"HUP", 1},   {"INT", 2},   {"QUIT", 3},  {"ILL", 4},     {"TRAP", 5},  {"ABRT", 6},
     {"BUS", 7},   {"FPE", 8},   {"KILL", 9},  {"USR1", 10},   {"SEGV", 11}, {"USR2", 12},
     {"PIPE", 13}, {"ALRM", 14}, {"TERM", 15}, {"STKFLT", 16}, {"CHLD", 17}, {"CONT", 18},
     {"STOP", 19}, {"XCPU", 24}, {"XFSZ", 25}, {"SYS", 31}}};

std::optional<int32_t> signal_of(std::string_view text) {
  if (text.starts_with("SIG")) {
    text.remove_prefix(3);
  }
  for (const auto& [name, number] : kSignals) {
    if (name == text) {
      return number;
    }
  }
  return std::nullopt;
}

template <class T>
void decode_scalar(Decoder& decoder, const Node& node, const Row& row, std::string_view wanted,
                   Result<T> (*parse)(std::string_view), T& out) {
  const auto value = scalar::text(decoder, node, row, wanted);
  if (!value.has_value()) {
    return;
  }
  Result<T> parsed = parse(*value);
  if (parsed.has_value()) {
    out = std::move(*parsed);
  } else {
    decoder.fail(node, fmt::format("{}: {}", row.name, parsed.error().message));
  }
}

Result<PortRange> parse_port_range(std::string_view text) {
  const Error wrong =
      user_error(fmt::format("`{}` is not a range of ports like 20000-20999", text));
  const size_t dash = text.find('-');
  const auto port = [](std::string_view digits) -> std::optional<uint16_t> {
    uint16_t number = 0;
    const auto [end, problem] =
        std::from_chars(digits.data(), digits.data() + digits.size(), number);
    const bool whole = end == digits.data() + digits.size();
    const bool fine = problem == std::errc() && whole && number != 0;
    return fine ? std::optional(number) : std::nullopt;
  };
  const auto low = port(trim(text.substr(0, dash)));
  const auto high = dash == std::string_view::npos ? low : port(trim(text.substr(dash + 1)));
  if (!low.has_value() || !high.has_value()) {
    return wrong;
  }
  if (*low > *high) {
    return user_error(fmt::format("`{}` starts above its end", text));
  }
  return PortRange{.low = *low, .high = *high};
}

Result<Mount> parse_mount(std::string_view text) {
  const std::vector<std::string_view> parts = split(text, ':');
  const bool mode = parts.size() == 3 && (parts[2] == "ro" || parts[2] == "rw");
  // Clusters take a list of mounts with commas between.
  if ((parts.size() != 2 && !mode) || !parts[0].starts_with('/') || !parts[1].starts_with('/') ||
      text.find(',') != std::string_view::npos) {
    return user_error(fmt::format("`{}` is not a mount like /data:/data or /data:/data:ro", text));
  }
  return Mount{.source = std::string(parts[0]),
               .target = std::string(parts[1]),
               .read_only = mode && parts[2] == "ro"};
}

}  // namespace

Node Codec<Bytes>::encode(const Row&, Bytes value) { return text_node(format_size(value)); }

Node Codec<std::optional<Duration>>::encode(const Row& row, const std::optional<Duration>& value) {
  if (value.has_value()) {
    return text_node(duration_text(*value));
  }
  return row.notes.none ? text_node("none") : Node{};
}

void SignalCodec::decode(Decoder& decoder, const Node& node, const Row& row,
                         std::optional<int32_t>& out) {
  if (node.kind == Node::Kind::Scalar) {
    if (const auto number = signal_of(node.text)) {
      out = number;
      return;
    }
    const bool digits =
        !node.text.empty() && node.text.find_first_not_of("-0123456789") == std::string::npos;
    if (!digits) {
      decoder.fail(node, fmt::format("{}: `{}` is not a signal; write a number or a name like KILL",
                                     row.name, node.text));
      return;
    }
  }
  if (const auto number = scalar::whole_number(decoder, node, row, 1, 64)) {
    out = static_cast<int32_t>(*number);
  }
}

Node SignalCodec::encode(const Row&, const std::optional<int32_t>& value) {
  return value.has_value() ? plain_node(std::to_string(*value)) : Node{};
}

Shape SignalCodec::shape(const Row&) {
  return {.type = "signal by number, from 1 to 64, or by name",
          .json = R"({"type":["integer","string"]})"};
}

void Codec<Backoff>::decode(Decoder& decoder, const Node& node, const Row& row, Backoff& out) {
  decode_scalar(decoder, node, row, "a range of durations like 1s..1m", &parse_backoff, out);
}

Node Codec<Backoff>::encode(const Row&, const Backoff& value) {
  return text_node(backoff_text(value));
}

Shape Codec<Backoff>::shape(const Row&) {
  return {.type = "range of durations", .json = R"({"type":"string"})"};
}

void Codec<std::optional<PortRange>>::decode(Decoder& decoder, const Node& node, const Row& row,
                                             std::optional<PortRange>& out) {
  if (node.kind == Node::Kind::Scalar && node.text.empty()) {
    out.reset();
    return;
  }
  PortRange range;
  const size_t before = decoder.problems.size();
  decode_scalar(decoder, node, row, "a range of ports like 20000-20999", &parse_port_range, range);
  if (decoder.problems.size() == before && node.kind == Node::Kind::Scalar) {
    out = range;
  }
}

Node Codec<std::optional<PortRange>>::encode(const Row&, const std::optional<PortRange>& value) {
  return text_node(value.has_value() ? fmt::format("{}-{}", value->low, value->high) : "");
}

Shape Codec<std::optional<PortRange>>::shape(const Row&) {
  return {.type = "range of ports", .json = R"({"type":["string","integer"]})"};
}

void Codec<Mount>::decode(Decoder& decoder, const Node& node, const Row& row, Mount& out) {
  decode_scalar(decoder, node, row, "a mount like /data:/data:ro", &parse_mount, out);
}

Node Codec<Mount>::encode(const Row&, const Mount& value) {
  return text_node(
      fmt::format("{}:{}{}", value.source, value.target, value.read_only ? ":ro" : ""));
}

Shape Codec<Mount>::shape(const Row&) { return {.type = "mount", .json = R"({"type":"string"})"}; }

}  // namespace muster::spec
