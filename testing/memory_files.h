#pragma once

#include "os/file/files.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace muster::testing {

/// A file system in memory, which outlives the processes that use it.
struct MemoryTree {
  struct Content {
    std::string bytes;
    uint64_t number = 0;  ///< Rises with every change; `modified` is made from it.
  };
  struct Node {
    os::FileKind kind = os::FileKind::Folder;
    uint32_t mode = 0755;
    std::shared_ptr<Content> content;  ///< For a file; hard links share it.
    os::Path target;                   ///< For a link.
  };
  std::map<os::Path, Node> nodes;  ///< By normal absolute path; "/" is always a folder.
  std::set<os::Path> locked;
  uint64_t changes = 0;
};

/// A process's way into a MemoryTree. Symbolic links are kept but not followed. Waiting for a lock
/// is not supported: shells that wait use real files.
class MemoryFiles final : public os::Files {
 public:
  /// Which calls a test may make fail.
  enum class Access : uint8_t { Read, Write };

  explicit MemoryFiles(MemoryTree& tree) : tree_(tree) {}

  /// Called before every call, with its path; an error becomes the call's result. If empty, all is
  /// well.
  std::function<Status(const os::Path& path, Access access)> trouble;

  Result<std::string> read(const os::Path& path, uint64_t limit_bytes) override;
  Result<std::string> read_part(const os::Path& path, uint64_t offset, uint64_t length) override;
  Status write(const os::Path& path, std::string_view bytes,
               const os::WriteOptions& options) override;
  Status create(const os::Path& path, std::string_view bytes,
                const os::WriteOptions& options) override;
  Result<std::unique_ptr<os::AppendFile>> open_append(const os::Path& path, uint32_t mode) override;
  Status truncate(const os::Path& path, uint64_t size_bytes) override;
  Status make_folders(const os::Path& path, uint32_t mode) override;
  Status make_folder(const os::Path& path, uint32_t mode) override;
  Result<std::vector<os::FolderEntry>> list(const os::Path& path) override;
  Result<os::FileStat> stat(const os::Path& path) override;
  Status copy_tree(const os::Path& from, const os::Path& to) override;
  Status hard_link(const os::Path& existing, const os::Path& link) override;
  Status symbolic_link(const os::Path& target, const os::Path& link) override;
  Status rename(const os::Path& from, const os::Path& to) override;
  Status remove(const os::Path& path) override;
  Status remove_tree(const os::Path& path) override;
  Result<os::DiskSpace> disk_space(const os::Path& path) override;
  Result<std::unique_ptr<os::FileLock>> try_lock(const os::Path& path, uint32_t mode) override;
  [[nodiscard]] std::unique_ptr<os::LockWait> wait_lock(
      const os::Path& path, uint32_t mode,
      std::function<void(Result<std::unique_ptr<os::FileLock>>)> done) override;

 private:
  class Appender;
  class Lock;
  using Node = MemoryTree::Node;

  [[nodiscard]] Status check(const os::Path& path, Access access) const;
  [[nodiscard]] Result<Node*> find(const os::Path& path);
  [[nodiscard]] Result<Node*> find_file(const os::Path& path);
  [[nodiscard]] Status need_parent(const os::Path& path);
  [[nodiscard]] Node new_file(std::string_view bytes, uint32_t mode);
  void touch(MemoryTree::Content& content) { content.number = ++tree_.changes; }
  [[nodiscard]] bool has_entries(const os::Path& folder) const;

  MemoryTree& tree_;
};

}  // namespace muster::testing
