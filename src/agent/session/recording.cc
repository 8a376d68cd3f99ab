#include "agent/session/recording.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace muster::agent {
namespace {

/// Returns the length of the UTF-8 character that begins with this byte; 1 if it begins none.
size_t length_of_character(char first) {
  const auto byte = static_cast<unsigned char>(first);
  if (byte >= 0xf0) {
    return 4;
  }
  if (byte >= 0xe0) {
    return 3;
  }
  return byte >= 0xc0 ? 2 : 1;
}

/// Returns how many bytes at the end are an incomplete character.
size_t half_character(std::string_view text) {
  for (size_t back = 1; back <= std::min<size_t>(3, text.size()); ++back) {
    const char byte = text[text.size() - back];
    if ((static_cast<unsigned char>(byte) & 0xc0) != 0x80) {
      return length_of_character(byte) > back ? back : 0;
    }
  }
  return 0;
}

}  // namespace

Result<std::unique_ptr<Recording>> Recording::begin(os::Files& files, rt::Loop& loop,
                                                    const Options& options) {
  MUSTER_TRY(auto file, files.open_append(options.path, 0600));
  auto recording =
      std::unique_ptr<Recording>(new Recording(loop, std::move(file), options.bytes_max));
  const auto since_epoch =
      std::chrono::duration_cast<std::chrono::seconds>(loop.wall_now().time_since_epoch());
  MUSTER_TRY_STATUS(recording->append(fmt::format(
      "{{\"version\": 2, \"width\": {}, \"height\": {}, \"timestamp\": {}, "
      "\"command\": {}, \"title\": {}, \"env\": {{\"TERM\": {}}}}}\n",
      options.terminal.size.columns, options.terminal.size.rows, since_epoch.count(),
      json_quote(options.command), json_quote(options.title), json_quote(options.terminal.name))));
  return recording;
}

Status Recording::output(std::string_view bytes) {
  std::string text = std::exchange(half_, "");
  text += bytes;
  const size_t half = half_character(text);
  half_ = text.substr(text.size() - half);
  text.resize(text.size() - half);
  return text.empty() ? Status() : event('o', text);
}

Status Recording::resized(wire::TerminalSize size) {
  return event('r', fmt::format("{}x{}", size.columns, size.rows));
}

Status Recording::event(char kind, std::string_view text) {
  const std::chrono::duration<double> at = loop_.now() - began_;
  return append(fmt::format("[{:.6f}, \"{}\", {}]\n", at.count(), kind, json_quote(text)));
}

Status Recording::append(const std::string& line) {
  if (file_->size_bytes() + line.size() > bytes_max_) {
    return user_error(
        fmt::format("its recording has reached recording.max, {}", format_bytes(bytes_max_)));
  }
  return file_->append(line);
}

}  // namespace muster::agent
