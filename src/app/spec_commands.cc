#include "app/commands.h"
#include "app/completion.h"
#include "app/failure.h"
#include "app/hadoop_doctor.h"
#include "app/node_probe.h"
#include "app/program.h"
#include "base/text.h"
#include "client/doctor.h"
#include "client/job_source.h"
#include "cluster/local/claims.h"
#include "hadoop/krb5/exchanges.h"
#include "job/describe.h"
#include "spec/key_table.h"
#include "spec/layers.h"
#include "spec/serialize.h"
#include "spec/templates.h"

#include <fmt/format.h>

#include <algorithm>
#include <unistd.h>

namespace muster::app {
namespace {

client::JobSource file_source(const std::string& spec, const std::vector<std::string>& sets) {
  client::JobSource source;
  source.spec = spec;
  source.sets = sets;
  return source;
}

int write_template(Session& session, const spec::Template& chosen, const InitOptions& command) {
  const std::filesystem::path folder = session.surroundings().working_folder / command.folder;
  for (const spec::TemplateFile& file : chosen.files) {
    if (!command.force && session.files->exists(folder / file.path)) {
      return fail(session.console,
                  user_error(fmt::format("{} exists already; --force overwrites it",
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

}  // namespace

int validate_spec(Session& session, const SpecFileOptions& command) {
  const Result<client::ReadJob> job = client::read_job(
      *session.files, file_source(command.spec, command.sets), session.surroundings());
  Result<job::Plan> plan = bug("not planned");
  if (job) {
    plan = plan_of()(spec::to_json(job->loaded.spec), "validate", 0);
  }
  const Error* error = !job ? &job.error() : !plan ? &plan.error() : nullptr;
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
                                  job::count_of(plan->roles.size(), "role"),
                                  job::count_of(plan->task_count(), "task")));
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
  client::JobSource source = file_source(command.spec, command.sets);
  if (command.spec.empty()) {
    // Without a job of the user's the smallest one stands in: what the layers below it say is what
    // is asked for.
    source.quick.command = {"true"};
  }
  Result<spec::Layers> layers = client::read_layers(*session.files, source, session.surroundings());
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

namespace {

/// The folder of the Hadoop configuration that the site file names for a cluster.
Result<std::string> conf_of_cluster(Session& session, const std::string& name) {
  client::JobSource source;
  source.quick.command = {"true"};
  MUSTER_TRY(const spec::Layers layers,
             client::read_layers(*session.files, source, session.surroundings()));
  MUSTER_TRY(const spec::Loaded loaded, spec::load(layers));
  const auto entry = loaded.clusters.find(name);
  if (entry == loaded.clusters.end() || entry->second.type != spec::ClusterType::Yarn) {
    return user_error("--on " + printable(name) +
                      ": there is no such YARN cluster; known are yarn and those of the site file");
  }
  return entry->second.conf;
}

}  // namespace

int check_machine(Session& session, const DoctorOptions& command) {
  client::DoctorInput input;
  input.home = session.home.root();
  input.claims_folder = cluster::local::ClaimFolder::default_folder();
  input.environment = {session.environment.all().begin(), session.environment.all().end()};
  std::vector<client::Finding> findings = client::examine(*session.files, input);
  if (!command.on.empty() && command.on != "yarn") {
    const Result<std::string> conf = conf_of_cluster(session, command.on);
    if (!conf) {
      return fail(session.console, conf.error());
    }
    input.environment["HADOOP_CONF_DIR"] = *conf;
  }
  const std::vector<client::Finding> of_hadoop =
      examine_hadoop(*session.files, {.environment = input.environment,
                                      .uid = ::geteuid(),
                                      .now = session.now(),
                                      .kerberos_helper = hadoop::krb5::shipped_helper()});
  findings.insert(findings.end(), of_hadoop.begin(), of_hadoop.end());
  const bool reachable = std::ranges::none_of(of_hadoop, [](const client::Finding& one) {
    return one.verdict == client::Finding::Verdict::Bad;
  });
  if (command.deep && reachable) {
    const std::string on = command.on.empty() ? "yarn" : command.on;
    const std::vector<client::Finding> of_node = probe_node(
        own_program(), {session.environment.all().begin(), session.environment.all().end()}, on);
    findings.insert(findings.end(), of_node.begin(), of_node.end());
  }
  session.console.out(command.json ? client::render_json(findings)
                                   : client::render(findings, session.console.screen().colour));
  for (const client::Finding& finding : findings) {
    if (finding.verdict == client::Finding::Verdict::Bad) {
      return kCouldNotStart;
    }
  }
  return 0;
}

int print_completion(Session& session, const CompletionOptions& command) {
  if (command.shell != "words") {
    session.console.out(completion_script(command.shell));
    return 0;
  }
  std::vector<std::string> jobs;
  if (const Result<std::vector<client::JobEntry>> all = session.home.jobs()) {
    for (const client::JobEntry& entry : *all) {
      jobs.push_back(entry.folder.id().value);
    }
  }
  for (const std::string& word : complete(command.words, jobs)) {
    session.console.out(word + "\n");
  }
  return 0;
}

int print_version(Session& session, const VersionOptions& command) {
  session.console.out(command.json ? fmt::format(R"({{"schema":"muster.version/1","version":"{}"}})"
                                                 "\n",
                                                 kVersion)
                                   : fmt::format("muster {}\n", kVersion));
  return 0;
}

}  // namespace muster::app
