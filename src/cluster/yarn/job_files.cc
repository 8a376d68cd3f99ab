#include "cluster/yarn/job_files.h"

#include "os/command.h"
#include "os/spawn.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>

namespace muster::cluster::yarn {
namespace {

namespace fs = std::filesystem;

constexpr Duration kPackMax = std::chrono::minutes(30);

bool is_uri(std::string_view text) { return text.find("://") != std::string_view::npos; }

// The same folder gives the same bytes, so that it is uploaded once.
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
  const fs::path source = without_slash(python.env);
  MUSTER_TRY(const os::FileStat stat, files_.stat(source));
  const std::string name = source.filename().string();
  MUSTER_TRY(python.env,
             stat.kind == os::FileKind::Folder ? add_folder(source, name) : add(source, name));
  return {};
}

Result<std::string> JobFiles::add(const fs::path& source, const std::string& name) {
  auto [place, fresh] = links_.try_emplace(source.string() + '\0' + name);
  if (fresh) {
    place->second = fmt::format("files/{}/{}", uploads_.size(), name);
    uploads_.push_back({source, place->second});
  }
  return place->second;
}

Result<std::string> JobFiles::add_folder(const fs::path& source, const std::string& name) {
  const std::string packed = name + ".tar";
  const auto known = links_.find(source.string() + '\0' + packed);
  if (known != links_.end()) {
    return known->second;
  }
  const fs::path archive = packing_ / fmt::format("{}.tar", uploads_.size());
  MUSTER_TRY_STATUS(pack(source, archive));
  MUSTER_TRY(std::string link, add(archive, packed));
  links_[source.string() + '\0' + packed] = link;
  return link;
}

std::string unsupported(const spec::Spec& spec) {
  const auto about = [](const spec::Role& role, std::string_view what) {
    return fmt::format("roles.{}: {} cannot be had on YARN in this version of Muster", role.name,
                       what);
  };
  for (const spec::Role& role : spec.roles) {
    if (role.gpus > 0) {
      return about(role, "gpus");
    }
    if (role.docker.has_value()) {
      return about(role, "docker");
    }
    if (!role.constraint.empty() || !role.allocation_tags.empty()) {
      return about(role, "constraint and allocation_tags");
    }
    const spec::RoleSettings settings = spec::settings_of(spec, role);
    const auto remote = std::ranges::find_if(
        settings.files, [](const spec::File& file) { return is_uri(file.src); });
    if (remote != settings.files.end()) {
      return about(role, fmt::format("the file {} (name one of this host)", remote->src));
    }
  }
  if (is_uri(spec.checkpoint.to)) {
    return fmt::format(
        "checkpoint.to: {} cannot be written to by this version of Muster; name a folder that all "
        "hosts share",
        spec.checkpoint.to);
  }
  return {};
}

}  // namespace muster::cluster::yarn
