#include "cluster/yarn/staging/job_files.h"

#include "os/process/command.h"
#include "os/process/spawn.h"
#include "spec/archive_name.h"
#include "spec/check/file_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>
#include <utility>

namespace muster::cluster::yarn {
namespace {

namespace fs = std::filesystem;

constexpr Duration kPackMax = std::chrono::minutes(30);

// Returns whether node managers unpack the file, by its suffix; others they leave as they are.
bool is_unpackable(const std::string& name) {
  constexpr std::array<std::string_view, 4> kEndings = {".tar", ".tar.gz", ".tgz", ".zip"};
  return std::ranges::any_of(kEndings,
                             [&](std::string_view ending) { return name.ends_with(ending); });
}

// Returns what identifies a file until its name in containers is made.
std::string key_of(const std::string& source, const std::string& name, bool unpack) {
  return fmt::format("{}\n{}\n{}", source, name, unpack);
}

// The same folder gives the same bytes, so it is uploaded only once.
Status pack(const fs::path& folder, const fs::path& archive) {
  os::SpawnOptions options;
  options.argv = {"tar", "--sort=name",   "--owner=0", "--group=0",      "--numeric-owner",
                  "-C",  folder.string(), "-cf",       archive.string(), "."};
  options.env = os::own_environment();
  MUSTER_TRY(const os::CommandOutput output, os::run_command(std::move(options), kPackMax));
  if (output.exit.code != 0) {
    return user_error(fmt::format("{} cannot be packed: tar failed", folder.string()));
  }
  return {};
}

fs::path without_slash(const std::string& text) {
  const fs::path path = text;
  return path.has_filename() ? path : path.parent_path();
}

// Node managers put the names of links between a shell's double quotes, unescaped.
std::string plain(std::string name) {
  for (char& c : name) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (!letter && !(c >= '0' && c <= '9') && c != '.' && c != '-') {
      c = '_';
    }
  }
  return name;
}

// Agents name what they place after its link unless told otherwise: the link's name may differ.
void keep_name(spec::File& file, const std::string& name) {
  if (!file.as.empty() || plain(name) == name) {
    return;
  }
  const std::string stem = spec::archive_stem(name);
  file.as = file.unpack == spec::Unpack::No || stem.empty() ? name : stem;
}

}  // namespace

Status JobFiles::collect(spec::Spec& spec) {
  const auto collect_all = [this](std::vector<spec::File>& files) -> Status {
    for (spec::File& file : files) {
      if (const Status collected = collect_file(file); !collected.has_value()) {
        return collected.error().within("files: " + file.src);
      }
    }
    return {};
  };
  MUSTER_TRY_STATUS(collect_all(spec.files));
  if (spec.python.has_value()) {
    MUSTER_TRY_STATUS(collect_python(*spec.python));
  }
  for (spec::Role& role : spec.roles) {
    if (role.files.has_value()) {
      MUSTER_TRY_STATUS(collect_all(*role.files));
    }
    if (role.python.has_value()) {
      MUSTER_TRY_STATUS(collect_python(*role.python));
    }
  }
  return {};
}

Status JobFiles::collect_file(spec::File& file) {
  if (spec::is_uri(file.src)) {
    keep_name(file, without_slash(file.src).filename().string());
    file.src = add_remote(file.src, false);
    return {};
  }
  const fs::path source = without_slash(file.src);
  MUSTER_TRY(const fs::path real, [&]() -> Result<fs::path> {
    std::error_code error;
    fs::path found = fs::canonical(source, error);
    return error ? Result<fs::path>(system_error(error.value(), "cannot read " + file.src))
                 : Result<fs::path>(std::move(found));
  }());
  MUSTER_TRY(const os::FileStat stat, files_.stat(real));
  const std::string name = source.filename().string();
  if (stat.kind != os::FileKind::Folder) {
    keep_name(file, name);
    MUSTER_TRY(file.src, add(real, name));
    return {};
  }
  const std::string place = spec::place_of(file);
  MUSTER_TRY(file.src, add_folder(real, name));
  file.as = place;
  file.unpack = spec::Unpack::Yes;
  return {};
}

Status JobFiles::collect_python(spec::Python& python) {
  if (python.env.empty()) {
    return {};
  }
  if (spec::is_uri(python.env)) {
    python.env = add_remote(python.env, is_unpackable(python.env));
    return {};
  }
  const fs::path source = without_slash(python.env);
  MUSTER_TRY(const os::FileStat stat, files_.stat(source));
  const std::string name = source.filename().string();
  if (stat.kind == os::FileKind::Folder) {
    MUSTER_TRY(python.env, add_folder(source, name, true));
  } else {
    MUSTER_TRY(python.env, add(source, name, is_unpackable(name)));
  }
  return {};
}

std::string JobFiles::add_remote(const std::string& address, bool unpack) {
  auto [place, fresh] = links_.try_emplace(key_of(address, "", unpack));
  if (fresh) {
    const std::string name = without_slash(address).filename().string();
    place->second = fmt::format("files/{}/{}", links_.size(), plain(name));
    remotes_.push_back({address, place->second, unpack});
  }
  return place->second;
}

Result<std::string> JobFiles::add(const fs::path& source, const std::string& name, bool unpack) {
  auto [place, fresh] = links_.try_emplace(key_of(source.string(), name, unpack));
  if (fresh) {
    place->second = fmt::format("files/{}/{}", links_.size(), plain(name));
    uploads_.push_back({source, place->second, unpack});
  }
  return place->second;
}

Result<std::string> JobFiles::add_folder(const fs::path& source, const std::string& name,
                                         bool unpack) {
  const std::string packed = name + ".tar";
  const std::string key = key_of(source.string(), packed, unpack);
  const auto known = links_.find(key);
  if (known != links_.end()) {
    return known->second;
  }
  const fs::path archive = packing_ / fmt::format("{}.tar", uploads_.size());
  MUSTER_TRY_STATUS(pack(source, archive));
  MUSTER_TRY(std::string link, add(archive, packed, unpack));
  links_[key] = link;
  return link;
}

}  // namespace muster::cluster::yarn
