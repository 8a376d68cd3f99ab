#include "os/file/trusted_folder.h"

#include "base/text.h"
#include "os/host/proc_text.h"

#include <fmt/format.h>

#include <cerrno>
#include <deque>
#include <iterator>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace muster::os {
namespace {

constexpr int kLinksMax = 40;
/// The uid that a user namespace shows for everybody it does not know, including the host's root.
constexpr uid_t kUnmapped = 65534;

bool all_users_are_mapped() {
  const std::string map = read_proc("/proc/self/uid_map");
  return map.empty() || map.find("4294967295") != std::string::npos;
}

/// The path to one folder, checked part by part.
class Way {
 public:
  Way(const Path& folder, Above above) : above_(above) { put(folder); }

  Status check() {
    while (!rest_.empty()) {
      const Path next = at_ / rest_.front();
      rest_.pop_front();
      struct stat stat{};
      if (::lstat(next.c_str(), &stat) != 0) {
        return {};  // It does not exist yet, or whoever opens it will report why they cannot.
      }
      MUSTER_TRY_STATUS(S_ISLNK(stat.st_mode) ? follow(next, stat) : enter(next, stat));
    }
    return {};
  }

 private:
  void put(const Path& path) {
    auto place = rest_.begin();
    for (const Path& part : path) {
      if (part == "/") {
        at_ = part;
      } else if (!part.empty() && part != ".") {
        place = std::next(rest_.insert(place, part));
      }
    }
  }

  Status follow(const Path& link, const struct stat& stat) {
    if (above_ == Above::Checked && !is_trusted(stat.st_uid)) {
      return refuse(link, fmt::format("is a link of another user (uid {})", stat.st_uid));
    }
    std::error_code error;
    const Path target = std::filesystem::read_symlink(link, error);
    if (error || ++links_ > kLinksMax) {
      rest_.clear();  // Whoever opens it will report why they cannot.
      return {};
    }
    put(target);
    return {};
  }

  Status enter(const Path& place, const struct stat& stat) {
    at_ = place;
    const bool is_folder_itself = rest_.empty();
    if (!is_folder_itself && above_ == Above::Trusted) {
      return {};
    }
    if (is_folder_itself ? stat.st_uid != ::geteuid() : !is_trusted(stat.st_uid)) {
      return refuse(place, fmt::format("belongs to another user (uid {})", stat.st_uid));
    }
    const bool of_own_group = stat.st_gid == ::geteuid();
    const mode_t others = of_own_group ? S_IWOTH : S_IWOTH | S_IWGRP;
    const bool kept = !is_folder_itself && (stat.st_mode & S_ISVTX) != 0;
    if (S_ISDIR(stat.st_mode) && (stat.st_mode & others) != 0 && !kept) {
      return refuse(place,
                    fmt::format("can be written by other users (mode {:04o}; `chmod go-w {}` "
                                "changes that)",
                                stat.st_mode & 07777U, shell_quote(place.string())));
    }
    return {};
  }

  [[nodiscard]] bool is_trusted(uid_t owner) const {
    return owner == 0 || owner == ::geteuid() || (owner == kUnmapped && !all_mapped_);
  }

  static Error refuse(const Path& place, const std::string& why) {
    return user_error(printable(place.string()) + " " + why);
  }

  Above above_;
  bool all_mapped_ = all_users_are_mapped();
  Path at_ = "/";  ///< How far the path has been checked.
  std::deque<Path> rest_;
  int links_ = 0;
};

}  // namespace

Status check_trusted(const Path& folder, Above above) { return Way(folder, above).check(); }

}  // namespace muster::os
