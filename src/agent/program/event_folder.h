#pragma once

#include "os/file/files.h"
#include "os/process/pid.h"
#include "scalars/event_file.h"
#include "scalars/scalar.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace muster::agent {

/// The TensorBoard event files that one attempt writes below a folder of this host, read as they
/// grow. Files that existed before the attempt are left alone. Blocks: one look at a time, on the
/// pool.
class EventFolder {
 public:
  /// Limits: depth of folders looked into, files followed, bytes read by one look.
  static constexpr int kDepthMax = 4;
  static constexpr size_t kFilesMax = 64;
  static constexpr size_t kEntriesMax = 2000;
  static constexpr uint64_t kLookBytesMax = 4U << 20U;

  struct Options {
    os::Path folder;
    WallTime since;  ///< When the attempt began.
    /// Others write there, too: only files whose name shows that a process of this attempt wrote
    /// them count as its own; with `takes_unnamed`, also those whose name does not say.
    bool shared = false;
    bool takes_unnamed = false;
  };
  struct Found {
    std::string run;  ///< The file's folder, below the options'.
    scalars::Scalar scalar;
  };
  struct Look {
    std::vector<Found> found;
    std::vector<std::string> troubles;  ///< Each is said once.
    bool more = false;                  ///< There was more than one look may read.
  };

  EventFolder(os::Files& files, Options options);

  /// `processes`: the attempt's, now.
  [[nodiscard]] Look look(const std::vector<os::Pid>& processes);

 private:
  struct File {
    std::string run;
    scalars::EventFile events;
    uint64_t read_bytes = 0;
    bool over = false;  ///< Damaged: nothing more can be read.
  };

  void find(const os::Path& folder, const std::string& run, int depth, size_t& entries);
  void consider(const os::Path& path, const std::string& run);
  void read(const os::Path& path, File& file, Look& look, uint64_t& budget);
  void say(std::string trouble, Look& look);

  os::Files& files_;
  Options options_;
  std::set<int32_t> processes_;  ///< All it ever had.
  std::map<os::Path, File> followed_;
  std::set<os::Path> left_alone_;
  std::set<std::string> said_;
};

}  // namespace muster::agent
