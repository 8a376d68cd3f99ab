#pragma once

#include "base/result.h"
#include "job/ids.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

/// What the codecs of all messages share: bounds, and errors that name the field. Encoders cut what
/// is too long, so that they never write what a decoder refuses.
namespace muster::wire {

/// Ids, names, addresses, class names.
inline constexpr size_t kNameBytesMax = 4U << 10;
/// Evidence, reasons, diagnostics, URLs.
inline constexpr size_t kTextBytesMax = 64U << 10;
/// One fact; a full report of a container with many attempts is the largest.
inline constexpr size_t kFactBytesMax = 4U << 20;
/// Frames and headers that carry the resolved specification or a view, and status documents.
inline constexpr size_t kPlanBytesMax = 16U << 20;

[[nodiscard]] Error corrupt(std::string_view what);

/// Returns `text` cut to the bound.
[[nodiscard]] std::string put_name(std::string_view text);
[[nodiscard]] std::string put_text(std::string_view text);

/// Copies `wire` to `text`; Corrupt if it is over the bound. `what` names the field. Names and
/// texts are for people: whatever a terminal would obey in them is replaced (printable()), whoever
/// sent it; texts keep their line breaks.
Status get_name(const std::string& wire, std::string& text, std::string_view what);
Status get_text(const std::string& wire, std::string& text, std::string_view what);
/// The same for a name that must be found again unchanged, such as a file's.
Status get_exact(const std::string& wire, std::string& text, std::string_view what);

/// Corrupt above 65535.
Status get_port(uint32_t wire, uint16_t& port, std::string_view what);

/// Returns the result of reading a required sub-message, or Corrupt if it was missing.
Status required(bool present, Status read, std::string_view what);

/// Parses `bytes` as `Message`; Corrupt if they are not one, or more than `bytes_max`.
template <class Message>
Result<Message> parse(std::string_view bytes, size_t bytes_max, std::string_view what) {
  Message message;
  if (bytes.size() > bytes_max ||
      !message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return corrupt(std::string(what) +
                   (bytes.size() > bytes_max ? " is too long" : " cannot be parsed"));
  }
  return message;
}

}  // namespace muster::wire
