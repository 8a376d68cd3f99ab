#include "os/host/cgroup.h"

#include "base/text.h"
#include "os/file/files.h"
#include "os/host/proc_text.h"
#include "rt/fd.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <mutex>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace muster::os {
namespace {

/// Writes a control file in one call, as the kernel wants it. Returns 0 or the errno.
int control(const Path& file, std::string_view value) {
  const rt::Fd fd(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
  if (!fd.valid() || ::write(fd.get(), value.data(), value.size()) < 0) {
    return errno;
  }
  return 0;
}

std::string owner_suffix(Pid owner) { return fmt::format(".{}", owner.value); }

/// Removes the groups in `parent` that `chosen` picks, except those in use, for which the kernel
/// refuses.
template <typename Chosen>
void remove_groups(const Path& parent, const Chosen& chosen) {
  DIR* const entries = ::opendir(parent.c_str());
  if (entries == nullptr) {
    return;
  }
  for (const dirent* entry = ::readdir(entries); entry != nullptr; entry = ::readdir(entries)) {
    if (std::string_view(entry->d_name).starts_with(kCgroupPrefix) &&
        chosen(::dirfd(entries), entry->d_name)) {
      ::unlinkat(::dirfd(entries), entry->d_name, AT_REMOVEDIR);
    }
  }
  ::closedir(entries);
}

/// Groups get members within moments of being made, so an old one that is empty belongs to a
/// process that was killed.
void sweep(const Path& parent) {
  constexpr time_t kOldSeconds = 60;
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);  // lint: allow(clock) compared with the files' own times
  remove_groups(parent, [&now](int folder, const char* name) {
    struct stat stat{};
    return ::fstatat(folder, name, &stat, AT_SYMLINK_NOFOLLOW) == 0 &&
           now.tv_sec - stat.st_mtime > kOldSeconds;
  });
}

Error not_delegated(const Path& folder, int error) {
  Error made =
      system_error(error, fmt::format("cannot create a control group in {}", folder.string()));
  made.code = Errc::Unsupported;
  return made;
}

/// Groups whose members were killed, but are still giving back their memory.
class Busy {
 public:
  void add(const Path& folder) {
    const std::scoped_lock lock(mutex_);
    folders_.push_back(folder);
  }
  void remove() {
    const std::scoped_lock lock(mutex_);
    std::erase_if(folders_, [](const Path& folder) {
      return ::rmdir(folder.c_str()) == 0 || errno != EBUSY;
    });
  }

 private:
  std::mutex mutex_;
  std::vector<Path> folders_;
};

/// One group, which is a folder in each hierarchy (v2 has one, v1 one per controller).
class FolderCgroup final : public Cgroup {
 public:
  /// What cannot be removed in the destructor is added to `busy`.
  FolderCgroup(bool unified, std::shared_ptr<Busy> busy)
      : unified_(unified), busy_(std::move(busy)) {}
  ~FolderCgroup() override {
    for (const Path& folder : folders_) {
      if (::rmdir(folder.c_str()) != 0 && errno == EBUSY) {
        busy_->add(folder);
      }
    }
  }

  Status make(const Path& folder) {
    sweep(folder.parent_path());
    if (::mkdir(folder.c_str(), 0755) != 0 && errno != EEXIST) {
      return not_delegated(folder.parent_path(), errno);
    }
    folders_.push_back(folder);
    return {};
  }
  Status limit(const char* file, uint64_t value) {
    const int error = control(folders_.back() / file, fmt::to_string(value));
    return error == 0 ? Status() : not_delegated(folders_.back(), error);
  }

  Status add(Pid pid) override {
    for (const Path& folder : folders_) {
      const int error = control(folder / "cgroup.procs", fmt::to_string(pid.value));
      if (error != 0) {
        return system_error(
            error, fmt::format("cannot move process {} to {}", pid.value, folder.string()));
      }
    }
    return {};
  }
  [[nodiscard]] uint64_t oom_kills() const override {
    const char* file = unified_ ? "memory.events" : "memory.oom_control";
    return number_after(read_proc(folders_.front() / file), "oom_kill ").value_or(0);
  }
  [[nodiscard]] std::optional<uint64_t> memory_bytes() const override {
    const std::string text = read_proc(folders_.front() / "memory.stat");
    const auto anonymous = number_after(text, unified_ ? "anon " : "total_rss ");
    const auto mapped = number_after(text, unified_ ? "file_mapped " : "total_mapped_file ");
    if (!anonymous || !mapped) {
      return std::nullopt;
    }
    // Shared memory that nobody maps any more still counts for the group.
    const uint64_t shared = number_after(text, unified_ ? "shmem " : "total_shmem ").value_or(0);
    return *anonymous + std::max(*mapped, shared);
  }
  [[nodiscard]] std::optional<uint64_t> memory_peak_bytes() const override {
    const char* file = unified_ ? "memory.peak" : "memory.max_usage_in_bytes";
    return parse_decimal(read_proc(folders_.front() / file));
  }

 private:
  bool unified_;
  std::shared_ptr<Busy> busy_;
  std::vector<Path> folders_;  // The one with the memory controller first.
};

bool lists(const std::string& controllers, std::string_view wanted) {
  const auto names = split(trim(controllers), ' ');
  return std::ranges::find(names, wanted) != names.end();
}

class HostCgroups final : public Cgroups {
 public:
  explicit HostCgroups(Pid owner) : owner_(owner) {}
  ~HostCgroups() override { busy_->remove(); }

  Result<std::unique_ptr<Cgroup>> create(const std::string& purpose,
                                         const CgroupLimits& limits) override {
    busy_->remove();
    const std::string name = std::string(kCgroupPrefix) + purpose + owner_suffix(owner_);
    const std::string own = read_proc("/proc/self/cgroup");
    const std::string unified = find_cgroup("", own, kCgroupRoot);
    if (!unified.empty() && lists(read_proc(Path(unified) / "cgroup.controllers"), "memory")) {
      return create_unified(unified, name, limits);
    }
    return create_v1(own, name, limits);
  }

 private:
  Result<std::unique_ptr<Cgroup>> create_unified(const Path& parent, const std::string& name,
                                                 const CgroupLimits& limits) {
    // The kernel refuses this for a group that has processes of its own; such a group was not
    // prepared for us.
    const std::string given = read_proc(parent / "cgroup.subtree_control");
    if (!lists(given, "memory")) {
      const int error = control(parent / "cgroup.subtree_control", "+memory");
      if (error != 0) {
        return not_delegated(parent, error);
      }
    }
    auto group = std::make_unique<FolderCgroup>(true, busy_);
    MUSTER_TRY_STATUS(group->make(parent / name));
    if (limits.memory_bytes > 0) {
      MUSTER_TRY_STATUS(group->limit("memory.max", limits.memory_bytes));
    }
    if (limits.cpu_shares > 0 && lists(given, "cpu")) {
      // The default weight, 100, is one core.
      const uint64_t weight = std::clamp<uint64_t>(limits.cpu_shares / 10, 1, 10'000);
      MUSTER_TRY_STATUS(group->limit("cpu.weight", weight));
    }
    return group;
  }

  Result<std::unique_ptr<Cgroup>> create_v1(const std::string& own, const std::string& name,
                                            const CgroupLimits& limits) {
    const std::string memory = find_cgroup("memory", own, kCgroupRoot);
    if (memory.empty()) {
      return Error{Errc::Unsupported, Blame::Cluster, "this host has no memory control groups"};
    }
    auto group = std::make_unique<FolderCgroup>(false, busy_);
    MUSTER_TRY_STATUS(group->make(Path(memory) / name));
    if (limits.memory_bytes > 0) {
      MUSTER_TRY_STATUS(group->limit("memory.limit_in_bytes", limits.memory_bytes));
    }
    const std::string cpu = find_cgroup("cpu", own, kCgroupRoot);
    if (limits.cpu_shares > 0 && !cpu.empty()) {
      MUSTER_TRY_STATUS(group->make(Path(cpu) / name));
      // The default, 1024, is one core.
      const uint64_t shares = std::max<uint64_t>(2, uint64_t{limits.cpu_shares} * 1024 / 1000);
      MUSTER_TRY_STATUS(group->limit("cpu.shares", shares));
    }
    return group;
  }

  Pid owner_;
  std::shared_ptr<Busy> busy_ = std::make_shared<Busy>();
};

}  // namespace

std::shared_ptr<Cgroups> make_cgroups(Pid owner) { return std::make_shared<HostCgroups>(owner); }

void remove_cgroups_of(Pid owner) {
  const std::string own = read_proc("/proc/self/cgroup");
  for (const char* controller : {"", "memory", "cpu"}) {
    const std::string parent = find_cgroup(controller, own, kCgroupRoot);
    if (!parent.empty()) {
      remove_groups(parent, [suffix = owner_suffix(owner)](int, const char* name) {
        return std::string_view(name).ends_with(suffix);
      });
    }
  }
}

}  // namespace muster::os
