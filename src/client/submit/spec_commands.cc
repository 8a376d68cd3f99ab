#include "base/text.h"
#include "client/commands.h"
#include "client/show/failure.h"
#include "client/submit/job_source.h"
#include "job/describe.h"
#include "spec/keys/key_table.h"
#include "spec/read/layers.h"
#include "spec/templates.h"
#include "spec/write/serialize.h"

#include <fmt/format.h>

#include <numeric>

namespace muster::client {
namespace {

JobSource file_source(const std::string& spec, const std::vector<std::string>& sets) {
  JobSource source;
  source.spec = spec;
  source.sets = sets;
  return source;
}

int write_template(Session& session, const spec::Template& chosen, const InitOptions& command) {
  const std::filesystem::path folder = session.surroundings().working_folder / command.folder;
  for (const spec::TemplateFile& file : chosen.files) {
    if (!command.force && session.files->exists(folder / file.path)) {
      return fail(session.console,
                  user_error(fmt::format("{} already exists; --force overwrites it",
                                         (folder / file.path).string())));
    }
  }
  if (const Status made = session.files->make_folders(folder); !made) {
    return fail(session.console, made.error());
  }
  for (const spec::TemplateFile& file : chosen.files) {
    if (const Status written = session.files->write(folder / file.path, file.text); !written) {
      return fail(session.console, written.error());
    }
    session.console.out(
        "wrote " + (std::filesystem::path(command.folder) / file.path).lexically_normal().string() +
        "\n");
  }
  const std::string where =
      command.folder == "." ? "" : "cd " + shell_quote(command.folder) + " && ";
  session.console.out("next: " + where + "muster run job.yaml\n");
  return 0;
}

std::string list_templates() {
  std::string out;
  for (const spec::Template& each : spec::templates()) {
    out += fmt::format("{:<22} {}\n", each.name, each.description);
  }
  return out;
}

uint64_t task_count(const spec::Spec& spec) {
  return std::accumulate(spec.roles.begin(), spec.roles.end(), uint64_t{0},
                         [](uint64_t sum, const spec::Role& role) { return sum + role.tasks; });
}

}  // namespace

int validate_spec(Session& session, const SpecFileOptions& command) {
  const Result<ReadJob> job =
      read_job(*session.files, file_source(command.spec, command.sets), session.surroundings());
  const Error* error = job ? nullptr : &job.error();
  if (command.json) {
    session.console.out(fmt::format(R"({{"schema":"muster.validate/1","valid":{},"errors":{}}})"
                                    "\n",
                                    error == nullptr,
                                    error == nullptr ? "null" : json_quote(error->message)));
    return error == nullptr ? 0 : exit_status_of(*error);
  }
  if (error != nullptr) {
    return fail(session.console, *error);
  }
  for (const std::string& warning : job->loaded.warnings) {
    session.console.err(warning + "\n");
  }
  session.console.out(fmt::format("{} is valid: {}, {}\n", command.spec,
                                  job::count_of(job->loaded.spec.roles.size(), "role"),
                                  job::count_of(task_count(job->loaded.spec), "task")));
  return 0;
}

int explain_key(Session& session, const ExplainOptions& command) {
  if (command.json_schema) {
    session.console.out(spec::json_schema());
    return 0;
  }
  if (command.markdown) {
    session.console.out(spec::reference_markdown());
    return 0;
  }
  if (command.key.empty()) {
    session.console.out(spec::key_list());
    return 0;
  }
  const Result<std::string> text = spec::explain(command.key);
  if (!text) {
    return fail(session.console, text.error());
  }
  session.console.out(text->ends_with('\n') ? *text : *text + "\n");
  return 0;
}

int show_config(Session& session, const ConfigOptions& command) {
  JobSource source = file_source(command.spec, command.sets);
  if (command.spec.empty()) {
    // Without a job from the user, the smallest one stands in: the question is what the layers
    // below it say.
    source.quick.command = {"true"};
  }
  Result<spec::Layers> layers = read_layers(*session.files, source, session.surroundings());
  if (!layers) {
    return fail(session.console, layers.error());
  }
  if (command.explain.empty() && command.json) {
    const Result<spec::Loaded> loaded = spec::load(*layers);
    if (!loaded) {
      return fail(session.console, loaded.error());
    }
    session.console.out(spec::to_json(loaded->spec) + "\n");
    return 0;
  }
  if (command.spec.empty()) {
    layers->quick.reset();
  }
  const Result<std::string> text = command.explain.empty()
                                       ? spec::config_overview(*layers)
                                       : spec::config_explain(*layers, command.explain);
  if (!text) {
    return fail(session.console, text.error());
  }
  session.console.out(text->ends_with('\n') ? *text : *text + "\n");
  return 0;
}

int init_folder(Session& session, const InitOptions& command) {
  if (command.list) {
    session.console.out(list_templates());
    return 0;
  }
  if (command.template_name.empty()) {
    session.console.err("muster: init: name a template:\n" + list_templates());
    return kBadUsage;
  }
  std::vector<std::string_view> names;
  for (const spec::Template& each : spec::templates()) {
    if (each.name == command.template_name) {
      return write_template(session, each, command);
    }
    names.push_back(each.name);
  }
  const auto near = nearest(command.template_name, names);
  return fail(
      session.console,
      user_error(fmt::format(
          "there is no template \"{}\"{}", printable(command.template_name),
          near ? fmt::format("; did you mean {}?", *near) : "; `muster init --list` lists them")));
}

}  // namespace muster::client
