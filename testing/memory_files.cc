#include "testing/memory_files.h"

#include "base/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace muster::testing {
namespace {

constexpr uint64_t kDiskBytes = 1ULL << 40;

os::Path normal(const os::Path& path) {
  const os::Path clean = path.lexically_normal();
  return clean.has_filename() || clean == "/" ? clean : clean.parent_path();
}

bool lies_below(const os::Path& path, const os::Path& folder) {
  const std::string prefix = folder == "/" ? "/" : folder.string() + "/";
  return path.string().starts_with(prefix);
}

Error missing(const os::Path& path) {
  return Error{Errc::NotFound, Blame::User, fmt::format("{}: no such file", path.string())};
}

Error taken(const os::Path& path) {
  return Error{Errc::AlreadyExists, Blame::User, fmt::format("{}: exists", path.string())};
}

Error wrong_kind(const os::Path& path) {
  return user_error(fmt::format("{}: is of another kind", path.string()), Errc::Other);
}

Status good_if(bool good, Error otherwise) {
  if (good) {
    return {};
  }
  return otherwise;
}

}  // namespace

/// Keeps writing to the content that it opened, whatever name that has by now.
class MemoryFiles::Appender final : public os::AppendFile {
 public:
  Appender(MemoryFiles& files, os::Path path, std::shared_ptr<MemoryTree::Content> content)
      : files_(files), path_(std::move(path)), content_(std::move(content)) {}
  Status append(std::string_view bytes) override {
    MUSTER_TRY_STATUS(files_.check(path_, Access::Write));
    content_->bytes += bytes;
    files_.touch(*content_);
    return {};
  }
  Status sync() override { return files_.check(path_, Access::Write); }
  [[nodiscard]] uint64_t size_bytes() const override { return content_->bytes.size(); }

 private:
  MemoryFiles& files_;
  os::Path path_;
  std::shared_ptr<MemoryTree::Content> content_;
};

class MemoryFiles::Lock final : public os::FileLock {
 public:
  Lock(MemoryTree& tree, os::Path path) : tree_(tree), path_(std::move(path)) {
    tree_.locked.insert(path_);
  }
  ~Lock() override { tree_.locked.erase(path_); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  MemoryTree& tree_;
  os::Path path_;
};

Status MemoryFiles::check(const os::Path& path, Access access) const {
  return trouble ? trouble(path, access) : Status{};
}

Result<MemoryFiles::Node*> MemoryFiles::find(const os::Path& path) {
  const auto found = tree_.nodes.find(normal(path));
  if (found == tree_.nodes.end()) {
    return missing(path);
  }
  return &found->second;
}

Result<MemoryFiles::Node*> MemoryFiles::find_file(const os::Path& path) {
  MUSTER_TRY(Node* const node, find(path));
  if (node->kind != os::FileKind::File) {
    return wrong_kind(path);
  }
  return node;
}

Status MemoryFiles::need_parent(const os::Path& path) {
  const os::Path parent = normal(path).parent_path();
  if (parent == "/") {
    return {};
  }
  MUSTER_TRY(const Node* const node, find(parent));
  return good_if(node->kind == os::FileKind::Folder, wrong_kind(parent));
}

MemoryTree::Node MemoryFiles::new_file(std::string_view bytes, uint32_t mode) {
  Node node{.kind = os::FileKind::File,
            .mode = mode,
            .content = std::make_shared<MemoryTree::Content>(),
            .target = {}};
  node.content->bytes = bytes;
  touch(*node.content);
  return node;
}

bool MemoryFiles::has_entries(const os::Path& folder) const {
  const auto next = tree_.nodes.upper_bound(folder);
  return next != tree_.nodes.end() && lies_below(next->first, folder);
}

Result<std::string> MemoryFiles::read(const os::Path& path, uint64_t limit_bytes) {
  MUSTER_TRY_STATUS(check(path, Access::Read));
  MUSTER_TRY(const Node* const node, find_file(path));
  if (node->content->bytes.size() > limit_bytes) {
    return user_error(fmt::format("{}: is larger than {} bytes", path.string(), limit_bytes));
  }
  return node->content->bytes;
}

Result<std::string> MemoryFiles::read_part(const os::Path& path, uint64_t offset, uint64_t length) {
  MUSTER_TRY_STATUS(check(path, Access::Read));
  MUSTER_TRY(const Node* const node, find_file(path));
  const std::string& bytes = node->content->bytes;
  return offset >= bytes.size() ? std::string() : bytes.substr(offset, length);
}

Status MemoryFiles::write(const os::Path& path, std::string_view bytes,
                          const os::WriteOptions& options) {
  MUSTER_TRY_STATUS(check(path, Access::Write));
  MUSTER_TRY_STATUS(need_parent(path));
  const auto found = tree_.nodes.find(normal(path));
  if (found != tree_.nodes.end() && found->second.kind == os::FileKind::Folder) {
    return wrong_kind(path);
  }
  tree_.nodes[normal(path)] = new_file(bytes, options.mode);
  return {};
}

Status MemoryFiles::create(const os::Path& path, std::string_view bytes,
                           const os::WriteOptions& options) {
  MUSTER_TRY_STATUS(check(path, Access::Write));
  MUSTER_TRY_STATUS(need_parent(path));
  if (!tree_.nodes.try_emplace(normal(path), new_file(bytes, options.mode)).second) {
    return taken(path);
  }
  return {};
}

Result<std::unique_ptr<os::AppendFile>> MemoryFiles::open_append(const os::Path& path,
                                                                 uint32_t mode) {
  MUSTER_TRY_STATUS(check(path, Access::Write));
  MUSTER_TRY_STATUS(need_parent(path));
  const auto found = tree_.nodes.try_emplace(normal(path), new_file("", mode)).first;
  if (found->second.kind != os::FileKind::File) {
    return wrong_kind(path);
  }
  return std::make_unique<Appender>(*this, path, found->second.content);
}

Status MemoryFiles::truncate(const os::Path& path, uint64_t size_bytes) {
  MUSTER_TRY_STATUS(check(path, Access::Write));
  MUSTER_TRY(const Node* const node, find_file(path));
  node->content->bytes.resize(size_bytes);
  touch(*node->content);
  return {};
}

Status MemoryFiles::make_folders(const os::Path& path, uint32_t mode) {
  MUSTER_TRY_STATUS(check(path, Access::Write));
  const os::Path wanted = normal(path);
  os::Path grown;
  for (const os::Path& part : wanted) {
    grown /= part;
    const Node& node =
        grown == "/" ? Node{} : tree_.nodes.try_emplace(grown, Node{.mode = mode}).first->second;
    if (node.kind != os::FileKind::Folder) {
      return wrong_kind(grown);
    }
  }
  return {};
}

Status MemoryFiles::make_folder(const os::Path& path, uint32_t mode) {
  MUSTER_TRY_STATUS(check(path, Access::Write));
  MUSTER_TRY_STATUS(need_parent(path));
  return good_if(tree_.nodes.try_emplace(normal(path), Node{.mode = mode}).second, taken(path));
}

Result<std::vector<os::FolderEntry>> MemoryFiles::list(const os::Path& path) {
  MUSTER_TRY_STATUS(check(path, Access::Read));
  const os::Path folder = normal(path);
  MUSTER_TRY(const Node* const node, find(folder));
  if (node->kind != os::FileKind::Folder) {
    return wrong_kind(path);
  }
  std::vector<os::FolderEntry> entries;
  for (const auto& [at, below] : tree_.nodes) {
    if (at.parent_path() == folder) {
      entries.push_back({at.filename().string(), below.kind});
    }
  }
  std::ranges::sort(entries, {}, &os::FolderEntry::name);
  return entries;
}

Result<os::FileStat> MemoryFiles::stat(const os::Path& path) {
  MUSTER_TRY_STATUS(check(path, Access::Read));
  MUSTER_TRY(const Node* const node, find(path));
  os::FileStat stat{
      .kind = node->kind, .size_bytes = 0, .mode = node->mode, .owner = 0, .modified = {}};
  if (node->content) {
    stat.size_bytes = node->content->bytes.size();
    stat.modified = WallTime(Duration(static_cast<Duration::rep>(node->content->number)));
  }
  return stat;
}

Status MemoryFiles::copy_tree(const os::Path& from, const os::Path& to) {
  MUSTER_TRY_STATUS(check(from, Access::Read));
  MUSTER_TRY_STATUS(check(to, Access::Write));
  MUSTER_TRY_STATUS(need_parent(to));
  MUSTER_TRY(const Node* const top, find(from));
  if (tree_.nodes.contains(normal(to))) {
    return taken(to);
  }
  std::map<os::Path, Node> copies = {{normal(to), *top}};
  for (const auto& [at, node] : tree_.nodes) {
    if (lies_below(at, normal(from))) {
      copies.emplace(normal(to / at.lexically_relative(normal(from))), node);
    }
  }
  for (auto& [at, node] : copies) {
    if (node.content) {
      node.content = std::make_shared<MemoryTree::Content>(*node.content);
    }
  }
  tree_.nodes.merge(copies);
  return {};
}

Status MemoryFiles::hard_link(const os::Path& existing, const os::Path& link) {
  MUSTER_TRY_STATUS(check(link, Access::Write));
  MUSTER_TRY_STATUS(need_parent(link));
  MUSTER_TRY(const Node* const node, find_file(existing));
  return good_if(tree_.nodes.try_emplace(normal(link), *node).second, taken(link));
}

Status MemoryFiles::symbolic_link(const os::Path& target, const os::Path& link) {
  MUSTER_TRY_STATUS(check(link, Access::Write));
  MUSTER_TRY_STATUS(need_parent(link));
  Node node{.kind = os::FileKind::Link, .mode = 0777, .content = nullptr, .target = target};
  return good_if(tree_.nodes.try_emplace(normal(link), std::move(node)).second, taken(link));
}

Status MemoryFiles::rename(const os::Path& from, const os::Path& to) {
  MUSTER_TRY_STATUS(check(to, Access::Write));
  MUSTER_TRY_STATUS(need_parent(to));
  const os::Path source = normal(from);
  const os::Path target = normal(to);
  MUSTER_TRY(const Node* const node, find(source));
  const auto there = tree_.nodes.find(target);
  if (there != tree_.nodes.end()) {
    const bool folders =
        node->kind == os::FileKind::Folder && there->second.kind == os::FileKind::Folder;
    if (folders ? has_entries(target) : node->kind != there->second.kind) {
      return taken(to);
    }
    tree_.nodes.erase(there);
  }
  std::map<os::Path, Node> moved;
  for (auto each = tree_.nodes.begin(); each != tree_.nodes.end();) {
    if (each->first == source || lies_below(each->first, source)) {
      const os::Path relative = each->first.lexically_relative(source);
      moved.emplace(normal(target / relative), std::move(each->second));
      each = tree_.nodes.erase(each);
    } else {
      ++each;
    }
  }
  tree_.nodes.merge(moved);
  return {};
}

Status MemoryFiles::remove(const os::Path& path) {
  MUSTER_TRY_STATUS(check(path, Access::Write));
  const auto found = tree_.nodes.find(normal(path));
  if (found == tree_.nodes.end()) {
    return {};
  }
  if (found->second.kind == os::FileKind::Folder) {
    return wrong_kind(path);
  }
  tree_.nodes.erase(found);
  return {};
}

Status MemoryFiles::remove_tree(const os::Path& path) {
  MUSTER_TRY_STATUS(check(path, Access::Write));
  const os::Path top = normal(path);
  std::erase_if(tree_.nodes, [&top](const auto& entry) {
    return entry.first == top || lies_below(entry.first, top);
  });
  return {};
}

Result<os::DiskSpace> MemoryFiles::disk_space(const os::Path& path) {
  MUSTER_TRY_STATUS(check(path, Access::Read));
  return os::DiskSpace{
      .free_bytes = kDiskBytes, .total_bytes = kDiskBytes, .free_inodes = UINT64_MAX};
}

Result<std::unique_ptr<os::FileLock>> MemoryFiles::try_lock(const os::Path& path, uint32_t mode) {
  MUSTER_TRY_STATUS(check(path, Access::Write));
  MUSTER_TRY_STATUS(need_parent(path));
  const os::Path at = normal(path);
  if (tree_.locked.contains(at)) {
    return Error{Errc::AlreadyExists, Blame::Cluster,
                 fmt::format("{}: somebody holds the lock", path.string())};
  }
  tree_.nodes.try_emplace(at, new_file("", mode));
  return std::make_unique<Lock>(tree_, at);
}

std::unique_ptr<os::LockWait> MemoryFiles::wait_lock(
    const os::Path&, uint32_t, std::function<void(Result<std::unique_ptr<os::FileLock>>)>) {
  MUSTER_CHECK(false, "files in memory have no waits for locks");
  return nullptr;
}

}  // namespace muster::testing
