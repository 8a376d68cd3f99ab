#include "client/reach/command_output.h"

#include <array>
#include <csignal>
#include <cstddef>
#include <unistd.h>

namespace muster::client {
namespace {

/// These do not wait for whoever reads the output.
constexpr std::array kUrgentSignals = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
/// The longest line of this program's own errors; longer ones are shown in parts.
constexpr size_t kLineMax = size_t{16} << 10;

}  // namespace

CommandOutput::CommandOutput(Console& console, int out, bool plain_errors)
    : urgent_(kUrgentSignals),
      console_(console),
      out_(out),
      err_(STDERR_FILENO),
      plain_errors_(plain_errors),
      console_before_(console.give_way_to(urgent_.fd())) {
  (void)out_.give_way_to(urgent_.fd());
  (void)err_.give_way_to(urgent_.fd());
}

CommandOutput::~CommandOutput() { (void)console_.give_way_to(console_before_); }

void CommandOutput::write(bool is_err, std::string_view bytes) {
  if (is_err && plain_errors_) {
    show_errors(bytes);
  } else {
    (is_err ? err_ : out_).write(bytes);
  }
}

void CommandOutput::hurry() {
  out_.hurry();
  err_.hurry();
  console_.hurry();
}

void CommandOutput::flush() {
  out_.write("");
  err_.write("");
}

/// Shows whole lines, because a part of one cannot be made printable.
void CommandOutput::show_errors(std::string_view bytes) {
  unended_ += bytes;
  const size_t end = unended_.rfind('\n');
  if (end != std::string::npos || unended_.size() > kLineMax) {
    const size_t whole = end == std::string::npos ? unended_.size() : end + 1;
    console_.err(unended_.substr(0, whole));
    unended_.erase(0, whole);
  }
}

}  // namespace muster::client
