#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace muster::os {

/// The modes that programs have switched on in their terminal and not back off. Another terminal
/// that joins their shell must be switched likewise, or keys and the mouse send what the programs
/// do not expect; a terminal that was cut off must be switched back. Follows their output, in
/// whatever pieces it comes. A value.
class TerminalModes {
 public:
  void take(std::string_view bytes);
  /// Returns what brings a terminal from its normal modes to these; "" if they are the same.
  [[nodiscard]] std::string sequences() const;
  /// Returns whether a program shows the screen without scroll-back.
  [[nodiscard]] bool on_other_screen() const;
  /// Returns whether a program has the screen to itself and redraws it when the size changes.
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
  std::map<uint16_t, bool> modes_;  ///< Private modes that differ from their defaults.
  bool keypad_ = false;             ///< Sends sequences of its own.
  std::string other_keys_;          ///< Mode of keys with modifiers; "" for the default.
};

}  // namespace muster::os
