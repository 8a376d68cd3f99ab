#include "client/submit/job_source.h"

#include "base/text.h"
#include "client/keep/disk_probe.h"
#include "client/submit/job_checks.h"
#include "client/submit/made_job.h"
#include "client/submit/peers_hint.h"
#include "client/submit/tracking_variables.h"
#include "spec/write/serialize.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace muster::client {
namespace fs = std::filesystem;
namespace {

constexpr uint64_t kSpecMax = 1U << 20;

/// Reads an optional layer: a missing file is no error.
Result<std::optional<spec::TextInput>> read_optional(os::Files& files, const fs::path& path) {
  if (path.empty()) {
    return std::optional<spec::TextInput>();
  }
  Result<std::string> text = files.read(path, kSpecMax);
  if (!text && text.error().code == Errc::NotFound) {
    return std::optional<spec::TextInput>();
  }
  if (!text) {
    return text.error();
  }
  return std::optional(spec::TextInput{path.string(), std::move(*text)});
}

/// Adds the framework files of a folder, by name; a missing folder holds none.
Status add_frameworks(os::Files& files, const fs::path& folder,
                      std::vector<spec::FrameworkInput>& frameworks) {
  constexpr std::string_view kEnding = ".yaml";
  const Result<std::vector<os::FolderEntry>> entries = files.list(folder);
  if (!entries) {
    return entries.error().code == Errc::NotFound ? Status() : Status(entries.error());
  }
  std::vector<spec::FrameworkInput> found;
  for (const os::FolderEntry& entry : *entries) {
    if (!entry.name.ends_with(kEnding)) {
      continue;
    }
    const std::string name = entry.name.substr(0, entry.name.size() - kEnding.size());
    const fs::path path = folder / entry.name;
    MUSTER_TRY(std::string text, files.read(path, kSpecMax));
    found.push_back({.name = name, .file = {path.string(), std::move(text)}});
  }
  std::ranges::sort(found, {}, &spec::FrameworkInput::name);
  std::ranges::move(found, std::back_inserter(frameworks));
  return {};
}

/// Suggests a file beside `path` with a similar name, in case of a typo.
std::string suggest_file(os::Files& files, const fs::path& path) {
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  const Result<std::vector<os::FolderEntry>> entries = files.list(folder);
  if (!entries) {
    return {};
  }
  std::vector<std::string_view> names;
  for (const os::FolderEntry& entry : *entries) {
    names.push_back(entry.name);
  }
  const std::string wanted = path.filename().string();
  const auto near = nearest(wanted, names);
  return near ? fmt::format("; did you mean {}?", (path.parent_path() / *near).string()) : "";
}

Result<spec::TextInput> read_spec(os::Files& files, const std::string& name,
                                  const fs::path& working_folder) {
  const fs::path path = working_folder / name;
  const Result<os::FileStat> stat = files.stat(path);
  if (!stat && stat.error().code == Errc::NotFound) {
    return user_error(
        fmt::format("no such file: {}{}", printable(name), suggest_file(files, name)));
  }
  if (stat && stat->kind == os::FileKind::Folder) {
    return user_error(fmt::format("{} is a folder; name the specification in it", printable(name)));
  }
  if (stat && stat->kind == os::FileKind::Other) {
    return user_error(fmt::format("{} is not a regular file", printable(name)));
  }
  Result<std::string> text = files.read(path, kSpecMax);
  if (!text) {
    return user_error(text.error().message, text.error().code);
  }
  return spec::TextInput{name, std::move(*text)};
}

void make_absolute(std::string& path, const fs::path& base) {
  if (!path.empty() && !spec::is_uri(path)) {
    const bool folder = path.ends_with('/');
    path = (base / path).lexically_normal().string();
    if (folder && !path.ends_with('/')) {
      path += '/';
    }
  }
}

void make_absolute(spec::Environment& environment, const fs::path& base) {
  for (auto& [name, value] : environment) {
    if (value.source == spec::EnvValue::Source::FromFile) {
      make_absolute(value.text, base);
    }
  }
}

void make_absolute(spec::Spec& spec, const fs::path& base) {
  const auto files = [&](std::vector<spec::File>& list) {
    for (spec::File& file : list) {
      if (file.as.empty() && !spec::is_uri(file.src)) {
        // The last part names the file in the task's folder; it must survive the joining below.
        const fs::path trimmed = fs::path(file.src).lexically_normal();
        file.as = (trimmed.has_filename() ? trimmed : trimmed.parent_path()).filename().string();
      }
      make_absolute(file.src, base);
    }
  };
  files(spec.files);
  make_absolute(spec.env, base);
  make_absolute(spec.checkpoint.to, base);
  if (spec.python) {
    make_absolute(spec.python->env, base);
  }
  for (spec::Role& role : spec.roles) {
    make_absolute(role.env, base);
    if (role.files) {
      files(*role.files);
    }
    if (role.python) {
      make_absolute(role.python->env, base);
    }
  }
}

/// Returns which secret of `environment` has no value on the client's side; "" if all have one.
std::string missing_secret(os::Files& files, const spec::Environment& environment,
                           const Surroundings& around) {
  for (const auto& [name, value] : environment) {
    if (value.source == spec::EnvValue::Source::FromEnv &&
        !around.environment.contains(value.text)) {
      return fmt::format("env.{}: your environment has no variable {}; set it, or remove the key",
                         name, printable(value.text));
    }
    if (value.source == spec::EnvValue::Source::FromFile) {
      const Result<std::string> text = files.read(value.text, kSpecMax);
      if (!text) {
        return fmt::format("env.{}: {}", name, text.error().message);
      }
    }
  }
  return {};
}

Status check_secrets(os::Files& files, const spec::Spec& spec, const Surroundings& around) {
  std::string missing = missing_secret(files, spec.env, around);
  for (const spec::Role& role : spec.roles) {
    if (missing.empty()) {
      missing = missing_secret(files, role.env, around);
      missing = missing.empty() ? missing : "roles." + role.name + "." + missing;
    }
  }
  return missing.empty() ? Status() : Status(user_error(std::move(missing)));
}

void run_in_folder(std::optional<std::string>& command, const fs::path& folder) {
  if (command) {
    command = fmt::format("cd {} && {}", shell_quote(folder.string()), *command);
  }
}

}  // namespace

Result<spec::Layers> read_layers(os::Files& files, const JobSource& source,
                                 const Surroundings& surroundings) {
  spec::Layers layers;
  MUSTER_TRY(layers.site, read_optional(files, surroundings.site_file));
  MUSTER_TRY(layers.config, read_optional(files, surroundings.user_config));
  for (const fs::path& config : {surroundings.user_config, surroundings.site_file}) {
    if (!config.empty()) {
      MUSTER_TRY_STATUS(
          add_frameworks(files, config.parent_path() / "frameworks", layers.frameworks));
    }
  }
  for (const auto& [name, value] : surroundings.environment) {
    if (name.starts_with("MUSTER_SET_")) {
      layers.environment.emplace_back(name, value);
    }
  }
  layers.sets = source.sets;
  if (source.spec.empty()) {
    layers.quick = source.quick;
    return layers;
  }
  MUSTER_TRY(layers.spec, read_spec(files, source.spec, surroundings.working_folder));
  layers.args = source.arguments;
  return layers;
}

Result<ReadJob> read_made_job(os::Files& files, const MadeJob& made,
                              const std::vector<std::string>& sets,
                              const Surroundings& surroundings) {
  spec::Spec absolute = made.spec;
  make_absolute(absolute, surroundings.working_folder);
  MUSTER_TRY(spec::Layers layers,
             read_layers(files, {.spec = {}, .quick = {}, .sets = sets}, surroundings));
  layers.quick.reset();
  layers.spec = spec::TextInput{made.origin, made.head + spec::to_yaml(absolute)};
  ReadJob job;
  MUSTER_TRY(job.loaded, spec::load(layers));
  DiskProbe probe(surroundings.working_folder);
  // Whatever the job was made from is responsible for where its programs are.
  MUSTER_TRY_STATUS(check_job(job.loaded, probe, false));
  make_absolute(job.loaded.spec, surroundings.working_folder);
  MUSTER_TRY_STATUS(check_secrets(files, job.loaded.spec, surroundings));
  bring_tracking_variables(job.loaded.spec, surroundings);
  job.spec_text = layers.spec->text;
  return job;
}

Result<ReadJob> read_job(os::Files& files, const JobSource& source,
                         const Surroundings& surroundings) {
  MUSTER_TRY(const spec::Layers layers, read_layers(files, source, surroundings));
  ReadJob job;
  MUSTER_TRY(job.loaded, spec::load(layers));
  spec::Spec& spec = job.loaded.spec;
  const fs::path file = surroundings.working_folder / source.spec;
  DiskProbe probe(layers.spec ? file.parent_path() : surroundings.working_folder);
  MUSTER_TRY_STATUS(check_job(job.loaded, probe, layers.spec || source.elsewhere));
  if (const std::string hint =
          peers_hint(files, spec, layers.spec ? file.parent_path() : surroundings.working_folder);
      !hint.empty()) {
    job.loaded.warnings.push_back("muster: warning: " + hint);
  }
  if (layers.spec) {
    make_absolute(spec, file.parent_path());
    job.spec_text = layers.spec->text;
  } else {
    make_absolute(spec, surroundings.working_folder);
    if (!source.elsewhere) {
      run_in_folder(spec.command, surroundings.working_folder);
    }
    job.spec_text = spec::to_yaml(spec);
  }
  MUSTER_TRY_STATUS(check_secrets(files, spec, surroundings));
  bring_tracking_variables(spec, surroundings);
  return job;
}

}  // namespace muster::client
