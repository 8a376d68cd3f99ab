#include "wire/field_codec.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

namespace muster::wire {
namespace {

Status get_bounded(const std::string& wire, std::string& text, size_t bytes_max,
                   std::string_view what) {
  if (wire.size() > bytes_max) {
    return corrupt(
        fmt::format("{} has {} bytes; at most {} are allowed", what, wire.size(), bytes_max));
  }
  text = wire;
  return {};
}

/// Returns a text of several lines without what a terminal would obey.
std::string printable_lines(std::string_view text) {
  std::vector<std::string> lines;
  std::ranges::transform(split(text, '\n'), std::back_inserter(lines), printable);
  return join(lines, "\n");
}

}  // namespace

Error corrupt(std::string_view what) { return {Errc::Corrupt, Blame::Muster, std::string(what)}; }

std::string put_name(std::string_view text) { return std::string(text.substr(0, kNameBytesMax)); }

std::string put_text(std::string_view text) { return std::string(text.substr(0, kTextBytesMax)); }

Status get_name(const std::string& wire, std::string& text, std::string_view what) {
  MUSTER_TRY_STATUS(get_exact(wire, text, what));
  text = printable(text);
  return {};
}

Status get_exact(const std::string& wire, std::string& text, std::string_view what) {
  return get_bounded(wire, text, kNameBytesMax, what);
}

Status get_text(const std::string& wire, std::string& text, std::string_view what) {
  MUSTER_TRY_STATUS(get_bounded(wire, text, kTextBytesMax, what));
  text = printable_lines(text);
  return {};
}

Status required(bool present, Status read, std::string_view what) {
  if (!present) {
    return corrupt(fmt::format("{} is missing", what));
  }
  return read;
}

Status get_port(uint32_t wire, uint16_t& port, std::string_view what) {
  if (wire > UINT16_MAX) {
    return corrupt(fmt::format("{} {} is not a port", what, wire));
  }
  port = static_cast<uint16_t>(wire);
  return {};
}

}  // namespace muster::wire
