#pragma once

#include "agent/output/time_index.h"
#include "base/time.h"
#include "os/file/files.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace muster::agent {

/// How the log of one stream rotates: PATH is the newest part, PATH.1 the one before, and so on;
/// `keep` parts of `bytes_max / keep` each.
struct Rotation {
  uint64_t bytes_max = 1ULL << 30;
  uint32_t keep = 5;
};

/// One stream of one attempt on its way to disk: whole, in rotating files, with its last bytes at
/// hand, and an index of when it was written (TimeIndex). It never fails its task: what the disk
/// does not accept is counted as lost, and writing is tried again with the next bytes. For one
/// thread.
class OutputLog {
 public:
  using Clock = std::function<WallTime()>;

  /// Makes the file, so that it exists for a silent stream, too. `clock` dates what is written.
  OutputLog(os::Files& files, std::filesystem::path path, Rotation rotation, Clock clock);

  /// Writes the next bytes of the stream, of any length and content. `turned`: the attempt has
  /// written to its other stream since the last ones.
  void write(std::string_view bytes, bool turned = false);

  /// Returns the last kTailBytes of the stream, whatever became of its files.
  [[nodiscard]] std::string_view tail() const;
  /// Bytes of the stream so far.
  [[nodiscard]] uint64_t size_bytes() const { return size_; }
  /// Bytes that are in no file because of `trouble()`.
  [[nodiscard]] uint64_t lost_bytes() const { return lost_; }
  /// The last error of the disk; "" if there was none.
  [[nodiscard]] const std::string& trouble() const { return trouble_; }

  static constexpr size_t kTailBytes = 32U << 10;

 private:
  void write_part(std::string_view bytes, bool turned);
  [[nodiscard]] bool open();
  void rotate();
  [[nodiscard]] std::filesystem::path part(uint32_t number) const;

  os::Files& files_;
  std::filesystem::path path_;
  Rotation rotation_;
  Clock clock_;
  TimeIndex times_;
  std::unique_ptr<os::AppendFile> file_;
  std::string tail_;
  uint64_t size_ = 0;
  uint64_t lost_ = 0;
  uint64_t kept_ = 0;  ///< Bytes written to files, including those rotated away since.
  uint32_t parts_ = 1;
  std::string trouble_;
};

}  // namespace muster::agent
