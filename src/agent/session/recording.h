#pragma once

#include "base/result.h"
#include "os/file/files.h"
#include "rt/loop.h"
#include "wire/stream.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace muster::agent {

/// Records what a person has seen on a terminal in an attempt, in a file (asciicast, version 2)
/// that only its owner can read. What is typed is in it only as far as it is shown; a password is
/// not. A recording is whole or has an error at its end; nothing is ever missing in between. For
/// one thread.
class Recording {
 public:
  struct Options {
    std::filesystem::path path;
    uint64_t bytes_max = 0;
    wire::Terminal terminal;
    std::string command;
    std::string title;  ///< Which task it is.
  };

  /// Makes the file. Errors are those of the disk.
  [[nodiscard]] static Result<std::unique_ptr<Recording>> begin(os::Files& files, rt::Loop& loop,
                                                                const Options& options);

  /// Records what has just been shown. An error says why nothing is recorded from here on: the disk
  /// is full or failing, or the file has reached its maximum length.
  [[nodiscard]] Status output(std::string_view bytes);
  [[nodiscard]] Status resized(wire::TerminalSize size);

 private:
  Recording(rt::Loop& loop, std::unique_ptr<os::AppendFile> file, uint64_t bytes_max)
      : loop_(loop), file_(std::move(file)), bytes_max_(bytes_max), began_(loop.now()) {}

  [[nodiscard]] Status event(char kind, std::string_view text);
  [[nodiscard]] Status append(const std::string& line);

  rt::Loop& loop_;
  std::unique_ptr<os::AppendFile> file_;
  uint64_t bytes_max_;
  HostTime began_;
  std::string half_;  ///< The start of a character whose rest has not come yet.
};

}  // namespace muster::agent
