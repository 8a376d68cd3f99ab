#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace muster::os {

/// What programs have switched on their terminal, and not back: another terminal that joins their
/// shell has to be switched likewise, or keys and the mouse send what they do not expect; one that
/// they were cut off from has to be switched back. Follows their output, in whatever pieces it
/// comes. A value.
class TerminalModes {
 public:
  void take(std::string_view bytes);
  /// Returns what brings a terminal from its normal modes to these; "" where they are the same.
  [[nodiscard]] std::string sequences() const;
  /// A program shows the screen without scroll-back.
  [[nodiscard]] bool on_other_screen() const;
  /// A program has the screen for itself, and draws it anew when the size changes.
  [[nodiscard]] bool has_screen() const;

 private:
  enum class State : uint8_t {
    Ground,
    Escape,   ///< After ESC.
    Charset,  ///< After ESC and a byte that takes another one.
    Control,  ///< After ESC [.
    String,   ///< A title and the like, up to BEL or ESC.
  };

  void take_one(char byte);
  void end_control(char final);
  void set(uint16_t mode, bool on);
  void reset();

  State state_ = State::Ground;
  std::string parameters_;          ///< Of what follows ESC [, cut at some length.
  std::map<uint16_t, bool> modes_;  ///< Private ones that are not as they are at first.
  bool keypad_ = false;             ///< Sends sequences of its own.
  std::string other_keys_;          ///< How far keys with modifiers do; "" as usual.
};

}  // namespace muster::os
