#pragma once

#include "client/follow/console.h"
#include "rt/fd.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace muster::client {

/// A console whose two streams are in-memory files, for tests that check what was written.
class ConsoleFiles {
 public:
  explicit ConsoleFiles(Screen screen = {})
      : out_(::memfd_create("out", MFD_CLOEXEC)),
        err_(::memfd_create("err", MFD_CLOEXEC)),
        console_(screen, out_.get(), err_.get()) {}
  ~ConsoleFiles() = default;
  ConsoleFiles(const ConsoleFiles&) = delete;
  ConsoleFiles& operator=(const ConsoleFiles&) = delete;

  [[nodiscard]] Console& console() { return console_; }
  [[nodiscard]] std::string out() const { return text_of(out_.get()); }
  [[nodiscard]] std::string err() const { return text_of(err_.get()); }

 private:
  static std::string text_of(int fd) {
    std::string text;
    std::array<char, 4096> buffer{};
    ssize_t count = 0;
    while ((count = ::pread(fd, buffer.data(), buffer.size(), static_cast<off_t>(text.size()))) >
           0) {
      text.append(buffer.data(), static_cast<size_t>(count));
    }
    EXPECT_EQ(count, 0);
    return text;
  }

  rt::Fd out_;
  rt::Fd err_;
  Console console_;  ///< Last: it may still write when destroyed.
};

}  // namespace muster::client
