#include "os/file/file_sink.h"

#include <fmt/format.h>

#include <string>
#include <unistd.h>
#include <utility>

namespace muster::os {
namespace {

std::string format_entry(const rt::Loop& loop, log::Level level, std::string_view event,
                         std::initializer_list<log::Field> fields) {
  return fmt::format("{} {}\n", format_iso(loop.wall_now()), format_line(level, event, fields));
}

class FileSink final : public log::Sink {
 public:
  FileSink(Files& files, const rt::Loop& loop, Path path, const FileSinkOptions& options,
           std::unique_ptr<AppendFile> file)
      : files_(files),
        loop_(loop),
        path_(std::move(path)),
        options_(options),
        file_(std::move(file)) {}

  void write(log::Level level, std::string_view event,
             std::initializer_list<log::Field> fields) override {
    if (level < options_.lowest) {
      return;
    }
    const std::string entry = format_entry(loop_, level, event, fields);
    if (file_->size_bytes() > 0 && file_->size_bytes() + entry.size() > options_.rotate_at_bytes) {
      rotate();
    }
    (void)file_->append(entry);  // A full disk must not stop the program that logs.
  }

 private:
  [[nodiscard]] Path rotated(uint32_t number) const {
    return Path(fmt::format("{}.{}", path_.string(), number));
  }

  void rotate() {
    for (uint32_t number = options_.keep; number > 1; --number) {
      (void)files_.rename(rotated(number - 1), rotated(number));
    }
    if (options_.keep > 0) {
      (void)files_.rename(path_, rotated(1));
    } else {
      (void)files_.remove(path_);
    }
    auto fresh = files_.open_append(path_);
    if (fresh.has_value()) {
      file_ = std::move(fresh).value();
    }
  }

  Files& files_;
  const rt::Loop& loop_;
  Path path_;
  FileSinkOptions options_;
  std::unique_ptr<AppendFile> file_;
};

class StderrSink final : public log::Sink {
 public:
  StderrSink(const rt::Loop& loop, log::Level lowest) : loop_(loop), lowest_(lowest) {}

  void write(log::Level level, std::string_view event,
             std::initializer_list<log::Field> fields) override {
    if (level < lowest_) {
      return;
    }
    const std::string entry = format_entry(loop_, level, event, fields);
    // One write per line, so that lines of several processes do not mix. Nobody can be told that
    // stderr is gone.
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, entry.data(), entry.size());
  }

 private:
  const rt::Loop& loop_;
  log::Level lowest_;
};

}  // namespace

Result<std::unique_ptr<log::Sink>> open_file_sink(Files& files, const rt::Loop& loop,
                                                  const Path& path,
                                                  const FileSinkOptions& options) {
  MUSTER_TRY(std::unique_ptr<AppendFile> file, files.open_append(path));
  return std::make_unique<FileSink>(files, loop, path, options, std::move(file));
}

std::unique_ptr<log::Sink> make_stderr_sink(const rt::Loop& loop, log::Level lowest) {
  return std::make_unique<StderrSink>(loop, lowest);
}

}  // namespace muster::os
