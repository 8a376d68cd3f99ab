#pragma once

#include "agent/output/output_feed.h"
#include "agent/output/output_log.h"
#include "agent/output/output_news.h"
#include "job/ids.h"
#include "os/file/files.h"
#include "rt/loop.h"
#include "wire/frame.h"

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace muster::agent {

/// What one attempt writes, on its way to disk and to those who follow. For the loop's thread.
class TaskOutput {
 public:
  struct Deps {
    rt::Loop& loop;
    os::Files& files;
    OutputFeed& feed;
  };

  /// `log_stem`: ".stdout" and ".stderr" are added.
  TaskOutput(Deps deps, job::AttemptId attempt, const std::filesystem::path& log_stem,
             Rotation rotation);

  void write(wire::OutputStream stream, std::string_view bytes);
  /// The streams are finished: nothing more comes.
  void finish();
  [[nodiscard]] const OutputLog& log(wire::OutputStream stream) const;
  /// Bytes of both streams so far.
  [[nodiscard]] uint64_t size_bytes() const;
  /// Returns a number that differs from the last one if the attempt has printed something new
  /// since.
  [[nodiscard]] uint64_t look_for_news() { return news_.look(); }

 private:
  Deps deps_;
  job::AttemptId attempt_;
  OutputLog stdout_;
  OutputLog stderr_;
  OutputNews news_;
  wire::OutputStream last_ = wire::OutputStream::Stdout;  ///< The one last written to.
};

}  // namespace muster::agent
