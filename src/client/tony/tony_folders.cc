#include "client/tony/tony_folders.h"

#include "base/text.h"

#include <algorithm>
#include <map>
#include <utility>

namespace muster::client {
namespace {

/// Asks only once for each name.
class Expansion {
 public:
  Expansion(RemoteFiles& remote, const tony::Flags& flags) : remote_(remote) {
    for (const std::string_view part : split(flags.hdfs_classpath, ',')) {
      class_path_.emplace_back(trim(part));
    }
  }

  Status apply(std::vector<spec::File>& files) {
    std::vector<spec::File> expanded;
    for (spec::File& file : files) {
      if (!file.src.starts_with("hdfs://") || file.unpack == spec::Unpack::Yes) {
        expanded.push_back(std::move(file));
        continue;
      }
      MUSTER_TRY(const std::vector<std::string>* const found, look(file.src));
      if (found->size() == 1 && found->front() == file.src) {
        expanded.push_back(std::move(file));
        continue;
      }
      for (const std::string& name : *found) {
        expanded.push_back({.src = name, .unpack = spec::Unpack::No});
      }
    }
    files = std::move(expanded);
    return {};
  }

  [[nodiscard]] std::vector<std::string> missing() && { return std::move(missing_); }

 private:
  [[nodiscard]] bool is_of_class_path(std::string_view src) const {
    constexpr std::string_view kScheme = "hdfs://";
    return std::ranges::any_of(class_path_, [&](const std::string& name) {
      return src == name || src.substr(kScheme.size()) == name;
    });
  }

  /// Returns what stands for `src`; a missing one stands for itself, so that others can report it.
  Result<const std::vector<std::string>*> look(const std::string& src) {
    if (const auto known = known_.find(src); known != known_.end()) {
      return &known->second;
    }
    Result<std::vector<std::string>> found = remote_.files_at(src);
    if (!found && found.error().code != Errc::NotFound) {
      return found.error();
    }
    const bool left_out = !found && is_of_class_path(src);
    if (left_out) {
      missing_.push_back(src);
    }
    std::vector<std::string> names =
        found ? std::move(*found)
              : (left_out ? std::vector<std::string>() : std::vector<std::string>{src});
    return &known_.emplace(src, std::move(names)).first->second;
  }

  RemoteFiles& remote_;
  std::vector<std::string> class_path_;
  std::map<std::string, std::vector<std::string>> known_;
  std::vector<std::string> missing_;
};

}  // namespace

Result<std::vector<std::string>> expand_folders(RemoteFiles& remote, const tony::Flags& flags,
                                                tony::Converted& converted) {
  Expansion expansion(remote, flags);
  for (spec::Spec* const spec :
       {&converted.spec, converted.preprocessing ? &*converted.preprocessing : nullptr}) {
    if (spec == nullptr) {
      continue;
    }
    MUSTER_TRY_STATUS(expansion.apply(spec->files));
    for (spec::Role& role : spec->roles) {
      if (role.files) {
        MUSTER_TRY_STATUS(expansion.apply(*role.files));
      }
    }
  }
  return std::move(expansion).missing();
}

}  // namespace muster::client
