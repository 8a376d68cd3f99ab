#include "os/process/terminal_modes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>

namespace muster::os {
namespace {

constexpr char kEscape = '\x1b';
/// Longer parameters belong to no sequence that is looked for.
constexpr size_t kParametersMax = 64;

constexpr uint16_t kCursorKeys = 1;
constexpr uint16_t kWraps = 7;
constexpr uint16_t kCursorShown = 25;
/// The alternate screen, without scroll-back. It has three numbers, of which this one also saves
/// the cursor.
constexpr uint16_t kOtherScreen = 1049;
/// The others: mouse clicks and movements and how they are reported, the focus, and marks around
/// pasted text.
constexpr std::array<uint16_t, 9> kInputModes = {1000, 1002, 1003, 1004, 1005, 1006, 1015, 2004, 9};

bool is_followed(uint16_t mode) {
  return mode == kCursorKeys || mode == kWraps || mode == kCursorShown || mode == kOtherScreen ||
         std::ranges::find(kInputModes, mode) != kInputModes.end();
}

bool at_first(uint16_t mode) { return mode == kWraps || mode == kCursorShown; }

}  // namespace

void TerminalModes::take(std::string_view bytes) {
  while (!bytes.empty()) {
    if (state_ == State::Ground) {
      const size_t escape = bytes.find(kEscape);
      if (escape == std::string_view::npos) {
        return;
      }
      bytes.remove_prefix(escape);
    }
    take_one(bytes.front());
    bytes.remove_prefix(1);
  }
}

void TerminalModes::take_one(char byte) {
  constexpr char kCancel = '\x18';
  constexpr char kSubstitute = '\x1a';
  if (byte == kEscape) {
    state_ = State::Escape;  // Even if the previous one was cut off.
    return;
  }
  if (byte == kCancel || byte == kSubstitute) {
    state_ = State::Ground;
    return;
  }
  switch (state_) {
    case State::Ground:
      return;
    case State::Escape:
      state_ = State::Ground;
      if (byte == '[') {
        state_ = State::Control;
        parameters_.clear();
      } else if (std::string_view("]P_^X").contains(byte)) {
        state_ = State::String;
      } else if (byte >= ' ' && byte <= '/') {
        state_ = State::Charset;
      } else if (byte == '=' || byte == '>') {
        keypad_ = byte == '=';
      } else if (byte == 'c') {
        reset();
      }
      return;
    case State::Charset:
      state_ = State::Ground;
      return;
    case State::Control:
      if (byte >= '@' && byte <= '~') {
        state_ = State::Ground;
        end_control(byte);
      } else if (byte >= ' ' && parameters_.size() < kParametersMax) {
        parameters_ += byte;
      }
      return;
    case State::String:
      if (byte == '\a') {
        state_ = State::Ground;
      }
      return;
  }
}

void TerminalModes::end_control(char final) {
  const std::string_view all = parameters_;
  if (all == "!" && final == 'p') {
    reset();
  } else if (all.starts_with(">4") && final == 'm') {
    const bool on = all.starts_with(">4;") && all != ">4;" && all != ">4;0";
    other_keys_ = on ? std::string(all) : "";
  } else if (all.starts_with('?') && (final == 'h' || final == 'l')) {
    for (size_t at = 1; at <= all.size();) {
      const size_t end = std::min(all.find(';', at), all.size());
      uint16_t mode = 0;
      const auto read = std::from_chars(all.data() + at, all.data() + end, mode);
      if (read.ec == std::errc{} && read.ptr == all.data() + end) {
        set(mode == 47 || mode == 1047 ? kOtherScreen : mode, final == 'h');
      }
      at = end + 1;
    }
  }
}

void TerminalModes::set(uint16_t mode, bool on) {
  if (!is_followed(mode)) {
    return;
  }
  if (on == at_first(mode)) {
    modes_.erase(mode);
  } else {
    modes_[mode] = on;
  }
}

void TerminalModes::reset() {
  modes_.clear();
  keypad_ = false;
  other_keys_.clear();
}

std::string TerminalModes::sequences() const {
  std::string text;
  // The screen comes first: it has its own cursor and state.
  if (on_other_screen()) {
    text += "\x1b[?1049h";
  }
  for (const auto& [mode, on] : modes_) {
    if (mode != kOtherScreen) {
      text += fmt::format("\x1b[?{}{}", mode, on ? 'h' : 'l');
    }
  }
  text += keypad_ ? "\x1b=" : "";
  text += other_keys_.empty() ? "" : fmt::format("\x1b[{}m", other_keys_);
  return text;
}

bool TerminalModes::on_other_screen() const { return modes_.contains(kOtherScreen); }

bool TerminalModes::has_screen() const {
  // Programs that stay on the normal screen, such as top, take the cursor keys for themselves.
  return on_other_screen() || modes_.contains(kCursorKeys);
}

}  // namespace muster::os
