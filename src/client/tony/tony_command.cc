#include "base/text.h"
#include "client/commands.h"
#include "client/reach/zip_names.h"
#include "client/show/failure.h"
#include "client/submit/made_job.h"
#include "client/tony/tony_folders.h"
#include "client/tony/tony_notebook.h"
#include "job/describe.h"
#include "os/host/identity.h"
#include "spec/check/file_check.h"
#include "tony/conversion.h"
#include "tony/model_parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace muster::client {
namespace {

constexpr uint64_t kConfMax = 16U << 20;
constexpr const char* kConfFile = "tony.xml";
constexpr const char* kSiteFile = "tony-site.xml";
/// Where TonY looks for its site file if TONY_CONF_DIR does not say.
constexpr const char* kSiteFolder = "/export/apps/tony/conf";
/// hadoop::kFilesOverVariable, which clients know by its name alone.
constexpr const char* kHadoopFiles = "MUSTER_HADOOP_FILES";
/// What TonY's client exits with whenever a job did not succeed: -1, as a shell shows it.
constexpr int kTonyFailed = 255;

/// Suggests a file beside a missing one with a similar name; "" if there is none.
std::string suggest(Session& session, const std::filesystem::path& missing) {
  const std::filesystem::path folder = missing.has_parent_path() ? missing.parent_path() : ".";
  const Result<std::vector<os::FolderEntry>> entries = session.files->list(folder);
  if (!entries) {
    return {};
  }
  std::vector<std::string_view> names;
  for (const os::FolderEntry& entry : *entries) {
    names.push_back(entry.name);
  }
  const std::string name = missing.filename().string();
  const auto near = nearest(name, names);
  return near ? fmt::format("; did you mean {}?", (missing.parent_path() / *near).string()) : "";
}

Result<std::string> read_conf(Session& session, const std::string& name) {
  constexpr std::string_view kHere = "file://";
  if (spec::is_uri(name) && !name.starts_with(kHere)) {
    Result<std::string> text = session.remote_files->read(name, kConfMax);
    return text ? std::move(text) : user_error(text.error().message, text.error().code);
  }
  const std::string path = name.starts_with(kHere) ? name.substr(kHere.size()) : name;
  Result<std::string> text = session.files->read(path, kConfMax);
  if (!text && text.error().code == Errc::NotFound) {
    return user_error(fmt::format("no such file: {}{}", printable(path), suggest(session, path)));
  }
  return text ? std::move(text) : user_error(text.error().message, text.error().code);
}

Status add_file(Session& session, const std::string& path, std::vector<tony::Property>& to) {
  MUSTER_TRY(const std::string text, read_conf(session, path));
  MUSTER_TRY(const std::vector<tony::Property> properties,
             tony::parse_properties(text, path, [&session](const std::string& included) {
               return read_conf(session, included);
             }));
  to.insert(to.end(), properties.begin(), properties.end());
  return {};
}

/// Lists a folder of sources, because TonY's tasks start in it; nothing for an archive.
Result<std::vector<std::string>> entries_of(Session& session, const std::string& folder) {
  std::vector<std::string> names;
  if (folder.empty() || spec::is_uri(folder)) {
    return names;
  }
  const Result<os::FileStat> stat = session.files->stat(folder);
  if (!stat && stat.error().code == Errc::NotFound) {
    return user_error(fmt::format("-src_dir {}: no such file or folder{}", printable(folder),
                                  suggest(session, folder)));
  }
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored)) {
    return names;
  }
  MUSTER_TRY(const std::vector<os::FolderEntry> entries, session.files->list(folder));
  for (const os::FolderEntry& entry : entries) {
    if (entry.name != ".git") {
      names.push_back(entry.name + (entry.kind == os::FileKind::Folder ? "/" : ""));
    }
  }
  if (names.empty()) {
    return user_error(fmt::format("-src_dir {}: the folder is empty", printable(folder)));
  }
  return names;
}

/// Returns a function that says whether a program of the sources has lost its mode or, in an
/// archive, may have.
std::function<bool(const std::string&)> mode_probe(Session& session, const tony::Input& input) {
  const bool archive = input.source_entries.empty();
  return [&session, archive, folder = input.flags.src_dir](const std::string& program) {
    constexpr uint32_t kAnybodyRuns = 0111;
    if (folder.empty() || program.starts_with("venv/")) {
      return false;
    }
    const auto stat = session.files->stat(std::filesystem::path(folder) / program);
    return archive ||
           (stat && stat->kind != os::FileKind::Folder && (stat->mode & kAnybodyRuns) == 0);
  };
}

/// Refuses an environment that lacks the interpreter: otherwise a task would find out much later.
Status check_interpreter(Session& session, const tony::Flags& flags) {
  const std::string& venv = flags.python_venv;
  const std::string interpreter =
      std::filesystem::path(flags.python_binary_path).lexically_normal().string();
  if (!venv.ends_with(".zip") || spec::is_uri(venv) || interpreter.empty() ||
      interpreter.starts_with('/') || !session.files->exists(venv)) {
    return {};
  }
  MUSTER_TRY(const std::vector<std::string> names, zip_names(*session.files, venv));
  const auto is_in = [&](std::string_view name) { return std::ranges::count(names, name) > 0; };
  if (is_in(interpreter) || is_in("./" + interpreter)) {
    return {};
  }
  const auto below = std::ranges::find_if(
      names, [&](const std::string& name) { return name.ends_with("/" + interpreter); });
  return user_error(
      fmt::format("-python_venv {}: it has no {}, which -python_binary_path names{}",
                  printable(venv), printable(interpreter),
                  below == names.end() ? "" : fmt::format("; it has {}", printable(*below))));
}

/// What `${...}` in settings may name, as in Hadoop.
std::map<std::string, std::string> variables_of(Session& session) {
  std::map<std::string, std::string> variables;
  for (const auto& [name, value] : session.environment.all()) {
    variables["env." + name] = value;
  }
  variables["user.name"] = os::user_name(session.process_environment());
  variables["user.home"] = session.environment.find("HOME").value_or("");
  variables["user.dir"] = session.surroundings().working_folder.string();
  return variables;
}

Result<tony::Input> read_input(Session& session, tony::Flags flags) {
  tony::Input input;
  input.flags = std::move(flags);
  if (!input.flags.conf_file.empty()) {
    MUSTER_TRY_STATUS(add_file(session, input.flags.conf_file, input.properties));
  } else if (session.files->exists(kConfFile)) {
    MUSTER_TRY_STATUS(add_file(session, kConfFile, input.properties));
  } else if (input.flags.executes.empty() && input.flags.conf.empty() &&
             input.flags.setting.empty() && input.flags.default_setting.empty()) {
    return user_error(
        "there is no tony.xml in this folder; name a file with -conf_file, or describe the job "
        "with flags, as in -executes and -conf tony.worker.instances=1");
  }
  // In TonY, the site's file takes precedence over the job's.
  const std::string site =
      session.environment.find("TONY_CONF_DIR").value_or(kSiteFolder) + "/" + kSiteFile;
  if (session.files->exists(site)) {
    MUSTER_TRY_STATUS(add_file(session, site, input.site));
  }
  MUSTER_TRY(input.source_entries, entries_of(session, input.flags.src_dir));
  MUSTER_TRY_STATUS(check_interpreter(session, input.flags));
  input.lacks_mode = mode_probe(session, input);
  input.variables = variables_of(session);
  return input;
}

Result<tony::Converted> convert(Session& session, const tony::Flags& flags) {
  MUSTER_TRY(const tony::Input input, read_input(session, flags));
  return tony::convert(input);
}

int print_conversion(Session& session, const tony::Flags& flags, const tony::Converted& converted) {
  session.console.out(tony::render(converted));
  if (!flags.set.empty()) {
    session.console.err(
        "muster: the values of --set are not included; pass them to `muster run` together with the "
        "specification\n");
  }
  if (!converted.notes.empty()) {
    session.console.err(
        fmt::format("muster: {} about TonY's settings: see the comments at the top\n",
                    job::count_of(converted.notes.size(), "note")));
  }
  return 0;
}

/// Says, before a job runs, what its user may not expect.
void tell_notes(Session& session, const tony::Converted& converted) {
  size_t differing = 0;
  for (const tony::Note& note : converted.notes) {
    if (note.kind == tony::Note::Kind::Unknown || note.kind == tony::Note::Kind::Doubtful) {
      session.console.err(
          fmt::format("muster: warning: {}: {}\n", printable(note.name), printable(note.text)));
    }
    differing += note.kind == tony::Note::Kind::Differs ? 1 : 0;
  }
  if (differing > 0) {
    session.console.err(
        fmt::format("muster: {} of TonY's settings {} handled differently; the same command with "
                    "--explain shows how\n",
                    differing, differing == 1 ? "is" : "are"));
  }
}

/// Runs the preprocessing, shows what it prints, and gives the tasks of `made` its parameters.
int run_preprocessing(Session& session, const RunCommand& run, const spec::Spec& first,
                      MadeJob& made) {
  tony::ModelParameters parameters;
  RunCommand command = run;
  command.json = false;
  const int status =
      run_made_job(session, command, {.origin = made.origin, .head = "", .spec = first},
                   [&](const wire::Output& output) {
                     if (!run.json) {
                       session.console.out(output.bytes);
                     }
                     if (output.stream == wire::OutputStream::Stdout) {
                       parameters.feed(output.bytes);
                     }
                   });
  if (auto found = parameters.found()) {
    made.spec.env["MODEL_PARAMS"] = {.source = spec::EnvValue::Source::Literal,
                                     .text = *std::move(found)};
  }
  return status;
}

/// Expands the HDFS folders among the files.
Status expand_files(Session& session, const tony::Flags& flags, tony::Converted& converted) {
  MUSTER_TRY(const std::vector<std::string> missing,
             expand_folders(*session.remote_files, flags, converted));
  for (const std::string& name : missing) {
    session.console.err(fmt::format("muster: warning: -hdfs_classpath {}: there is no such file\n",
                                    printable(name)));
  }
  return {};
}

/// Has the cluster's client read the Hadoop configuration files that the settings name. As in TonY,
/// a missing one changes nothing.
void lay_hadoop_files(Session& session, const std::vector<std::string>& files) {
  std::string paths;
  for (const std::string& file : files) {
    if (session.files->exists(file)) {
      paths += (paths.empty() ? "" : ":") + std::filesystem::absolute(file).string();
    } else {
      session.console.err(
          fmt::format("muster: warning: {}: there is no such file\n", printable(file)));
    }
  }
  if (!paths.empty()) {
    session.environment.set(kHadoopFiles, paths);
  }
}

int run_converted(Session& session, const tony::Flags& flags, tony::Converted converted) {
  if (!flags.quiet) {
    tell_notes(session, converted);
  }
  lay_hadoop_files(session, converted.hadoop_files);
  if (const Status expanded = expand_files(session, flags, converted); !expanded) {
    return fail(session.console, expanded.error());
  }
  RunCommand run;
  run.spec.on = flags.on.empty() ? "yarn" : flags.on;
  run.spec.sets = flags.set;
  // TonY's client kills the application when it is itself killed, or its terminal goes away.
  run.on_interrupt = OnInterrupt::Stop;
  run.stops_at_hang_up = true;
  run.quiet = flags.quiet;
  run.json = flags.json;
  MadeJob made{.origin = "the job as a specification",
               .head = tony::render_head(converted),
               .spec = converted.spec};
  if (flags.notebook) {
    return run_tony_notebook(session, run.spec, made);
  }
  if (converted.preprocessing) {
    if (const int status = run_preprocessing(session, run, *converted.preprocessing, made);
        status != 0) {
      return status;
    }
  }
  return run_made_job(session, run, made);
}

}  // namespace

int run_tony(Session& session, const TonyOptions& command) {
  const Result<tony::Flags> flags = tony::parse_flags(command.arguments);
  if (!flags) {
    return fail(session.console, flags.error());
  }
  if (flags->help) {
    session.console.out(tony::flags_help());
    return 0;
  }
  const Result<tony::Converted> converted = convert(session, *flags);
  if (flags->convert) {
    return converted ? print_conversion(session, *flags, *converted)
                     : fail(session.console, converted.error());
  }
  if (flags->explain) {
    if (converted) {
      session.console.out(tony::explain(*converted));
    }
    return converted ? 0 : fail(session.console, converted.error());
  }
  const int status = converted ? run_converted(session, *flags, *converted)
                               : fail(session.console, converted.error());
  return status == 0 || flags->muster_exit_status ? status : kTonyFailed;
}

}  // namespace muster::client
