#include "app/cli.h"

#include "app/fs_cli.h"
#include "app/job_words.h"
#include "app/mistakes.h"
#include "base/text.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <functional>
#include <memory>

namespace muster::app {
namespace {

/// The parser and everything it fills in.
struct Parser {
  CLI::App app{"Runs distributed machine-learning jobs on the clusters you already have.",
               "muster"};
  RunCommand run;
  SubmitCommand submit;
  PlanOptions plan;
  PsCommand ps;
  HistoryCommand history;
  StatusCommand status;
  ShowCommand show;
  WhyCommand why;
  TensorboardOptions tensorboard;
  PortalOptions portal;
  LogsOptions logs;
  StopOptions stop;
  SpecFileOptions validate;
  ExplainOptions explain;
  ConfigOptions config;
  InitOptions init;
  CleanOptions clean;
  DoctorOptions doctor;
  DemoOptions demo;
  CompletionOptions completion;
  VersionOptions version;
  FsOptions fs;
  TonyOptions tony;
  MasterCommand master;
  bool version_flag = false;
  bool tony_convert = false;  ///< For the help alone: its words are TonY's.
  /// The command that the line names, once parsed.
  std::function<Command()> chosen;

  Parser();

 private:
  template <class Options>
  CLI::App* command(const char* name, const char* description, Options& options);
  void add_run_commands();
  void add_job_commands();
  void add_spec_commands();
  void add_fs_commands();
  void add_other_commands();
};

/// Takes one of these words and no other.
CLI::Validator one_of(std::vector<std::string> words, std::string shown) {
  return {[words = std::move(words)](const std::string& word) {
            std::string all;
            for (size_t i = 0; i < words.size(); ++i) {
              all += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
            }
            return std::ranges::find(words, word) != words.end()
                       ? std::string()
                       : "must be " + all + ", not " + printable(word);
          },
          std::move(shown)};
}

void add_spec_options(CLI::App* command, SpecOptions& options) {
  command->add_option("spec", options.spec, "The job's specification (YAML or JSON)");
  command
      ->add_option("--on", options.on,
                   "Where to run: local (the default), yarn, or a cluster of the site file")
      ->type_name("CLUSTER");
  command
      ->add_option("--proxy-user", options.proxy_user,
                   "On YARN: run as this user, on whose behalf you may act")
      ->type_name("USER");
  command->add_option("--set", options.sets, "Set a key of the specification: roles.worker.tasks=8")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  command->add_option("-n,--tasks", options.tasks,
                      "Without a specification: how many tasks (role worker)");
  command
      ->add_option("--framework", options.framework,
                   "tensorflow, pytorch, jax, standalone, generic")
      ->type_name("NAME");
  command->add_option("--role", options.roles, "A further role: ps=1,memory=2g")
      ->type_name("ROLE=N[,KEY=VALUE...]")
      ->allow_extra_args(false);
  command->add_option("--name", options.name, "The job's name");
  command->footer(
      "Words after -- are the command (without a specification) or are appended to it.");
}

/// For the Python package, not for people.
void add_spark(CLI::App* command, SparkOptions& options) {
  command->add_option("--spark-link-fd", options.link_fd)->group("");
  command->add_option("--spark-listen", options.listen_host)->group("");
}

void add_json(CLI::App* command, bool& json) {
  command->add_flag("--json", json, "Print JSON with a versioned schema");
}

/// Where to look for jobs besides this host.
void add_on(CLI::App* command, std::string& on) {
  command
      ->add_option("--on", on,
                   "Look on this cluster, too, for jobs submitted from any host: yarn, or one of "
                   "the site file")
      ->type_name("CLUSTER");
}

template <class Options>
void add_job(CLI::App* command, Options& options) {
  command
      ->add_option("job", options.id,
                   "A job's id, a unique prefix of it, the cluster's own id, or `last`")
      ->required()
      ->type_name("ID");
  add_on(command, options.on);
}

template <class Options>
CLI::App* Parser::command(const char* name, const char* description, Options& options) {
  CLI::App* sub = app.add_subcommand(name, description);
  sub->callback([this, &options] { chosen = [&options] { return Command{options}; }; });
  return sub;
}

void Parser::add_run_commands() {
  const std::map<std::string, OnInterrupt> interrupts = {
      {"auto", OnInterrupt::Auto}, {"detach", OnInterrupt::Detach}, {"stop", OnInterrupt::Stop}};
  CLI::App* sub = command("run", "Run a job and follow it to its end", run);
  add_spec_options(sub, run.spec);
  sub->add_option_function<std::string>(
         "--on-interrupt",
         [this, interrupts](const std::string& word) { run.on_interrupt = interrupts.at(word); },
         "What Ctrl-C does: auto, detach, stop")
      ->check(one_of({"auto", "detach", "stop"}, ""))
      ->type_name("WHAT");
  sub->add_option("--exit-code-from", run.exit_code_from,
                  "End with the exit code of this role's task")
      ->type_name("ROLE");
  sub->add_flag("-q,--quiet", run.quiet,
                "Show only the tasks' output, and the summary of a failure");
  add_json(sub, run.json);

  sub = command("submit", "Start a job and return at once", submit);
  add_spec_options(sub, submit.spec);
  add_spark(sub, submit.spark);
  add_json(sub, submit.json);

  sub = command("plan", "Show what a job would ask for and whether it can fit; changes nothing",
                plan);
  add_spec_options(sub, plan.spec);
  sub->add_flag("--yaml", plan.yaml, "Print the whole specification with every default");
  add_json(sub, plan.json);
}

void Parser::add_job_commands() {
  CLI::App* sub = command("ps", "List the jobs that run (--all: every job)", ps);
  sub->add_flag("-a,--all", ps.all, "Ended jobs too");
  sub->add_option("--limit", ps.limit, "At most so many, newest first");
  add_on(sub, ps.on);
  add_json(sub, ps.json);

  sub = command("status", "Show how a job stands", status);
  add_job(sub, status);
  add_json(sub, status.json);

  sub = command("logs", "Show the output of a job's tasks", logs);
  add_job(sub, logs);
  sub->add_option("task", logs.task, "A role or one task: worker, worker:1")
      ->type_name("ROLE[:INDEX]");
  sub->add_flag("-f,--follow", logs.follow, "Go on as it comes, until the job ends");
  sub->add_option("--since", logs.since, "Only what came after: 10m, or 2026-11-21T09:30:00Z");
  sub->add_option("--grep", logs.grep, "Only lines that match this regular expression")
      ->type_name("REGEX");
  sub->add_option("--tail", logs.tail, "Only the last so many lines of each task");
  sub->add_option("--attempt", logs.attempt, "Only this attempt (the default: all)");
  sub->add_option("--stream", logs.stream, "stdout or stderr")
      ->check(one_of({"stdout", "stderr"}, "{stdout,stderr}"));
  add_json(sub, logs.json);

  sub = command("stop", "Stop a job and wait for its end", stop);
  add_job(sub, stop);
  sub->add_flag("--no-wait", stop.no_wait, "Return as soon as the job has been told");
  add_json(sub, stop.json);

  sub = command("why", "Show what a job waits for, and what to change", why);
  add_job(sub, why);
  add_json(sub, why.json);

  sub = command("tensorboard", "Show the curves of a job that has ended", tensorboard);
  add_job(sub, tensorboard);
  sub->add_option("--logdir", tensorboard.logdir,
                  "The folder or URI with the event files (default: what the job names)")
      ->type_name("FOLDER");
  sub->add_option("--port", tensorboard.port, "Listen here, on 127.0.0.1 (default: any free port)");

  sub = command("history", "List the jobs that have ended", history);
  sub->add_option("--limit", history.limit, "At most so many, newest first");
  add_on(sub, history.on);
  add_json(sub, history.json);

  sub = command("portal", "Serve the pages of jobs that have ended, on this machine", portal);
  sub->add_option("job", portal.id, "Show this job first")->type_name("ID");
  sub->add_option("--port", portal.port, "Listen here, on 127.0.0.1 (default: any free port)");
  add_on(sub, portal.on);

  sub = command("show", "Show everything that happened in a job", show);
  add_job(sub, show);
  sub->add_flag("--page", show.page, "Serve its page (of a job that has ended) on this machine");
  add_json(sub, show.json);
}

void Parser::add_spec_commands() {
  CLI::App* sub = command("validate", "Check a specification", validate);
  sub->add_option("spec", validate.spec, "The file")->required();
  sub->add_option("--set", validate.sets, "As for run")
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE");
  add_json(sub, validate.json);

  sub = command("explain", "Explain a key of the specification", explain);
  sub->add_option("key", explain.key,
                  "A key: roles.worker.memory; without one all keys are listed");
  sub->add_flag("--json-schema", explain.json_schema, "Print the JSON Schema of the specification");
  sub->add_flag("--markdown", explain.markdown, "Print the reference page");

  sub = command("config", "Show the configuration and where each value comes from", config);
  sub->add_option("--explain", config.explain, "Show every layer's value of one key, and who won")
      ->type_name("KEY");
  sub->add_option("--spec", config.spec, "Take this specification into account");
  sub->add_option("--set", config.sets, "As for run")
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE");
  add_json(sub, config.json);

  sub = command("init", "Write a specification and a program to start from", init);
  sub->add_option("template", init.template_name, "Which template");
  sub->add_option("folder", init.folder, "Where to (default: here)");
  sub->add_flag("--list", init.list, "List the templates");
  sub->add_flag("--force", init.force, "Overwrite files that exist");
}

void Parser::add_fs_commands() {
  CLI::App* group = app.add_subcommand("fs", "Work with files of HDFS, without a JVM");
  group->require_subcommand(1);
  add_fs_verbs(*group, fs);
  for (CLI::App* verb : group->get_subcommands([](const CLI::App*) { return true; })) {
    verb->callback([this] { chosen = [this] { return Command{fs}; }; });
  }
}

void Parser::add_other_commands() {
  CLI::App* sub = command("demo", "Show every feature with four small tasks in two seconds", demo);
  sub->add_flag("--fast", demo.fast, "Without the explanations");

  sub = command("doctor", "Check what jobs on this machine need", doctor);
  sub->add_option("--on", doctor.on, "Look at this YARN cluster")->type_name("CLUSTER");
  sub->add_flag("--deep", doctor.deep,
                "Look at a node of it, too, by a job of one small container");
  add_json(sub, doctor.json);

  sub = command("clean", "Remove old jobs", clean);
  sub->add_option("--older", clean.older, "Ended so long ago (default 30d)")->type_name("DURATION");
  sub->add_option("--over", clean.over, "Then the oldest until all fit in this (default 5g)")
      ->type_name("SIZE");
  sub->add_flag("--all", clean.all, "Every job that has ended");
  sub->add_flag("--dry-run", clean.dry_run, "Only say what would go");
  sub->add_flag("--by-itself", clean.by_itself)->group("");
  sub->add_option("--on", clean.on, "Clean your folder in the HDFS of this cluster instead")
      ->type_name("CLUSTER");
  add_json(sub, clean.json);

  sub = command("tony", "Make a specification of a TonY job", tony);
  sub->add_flag("--convert", tony_convert,
                "Print it; then come tony.xml and the flags of TonY's submitters");
  sub->footer("muster tony --convert tony.xml -executes 'python train.py' -src_dir src");

  sub = command("completion", "Print a completion script: bash, zsh or fish", completion);
  sub->add_option("shell", completion.shell, "bash, zsh, fish")
      ->required()
      ->type_name("SHELL")
      ->check([](const std::string& word) {
        // The scripts themselves ask for `words`.
        return word == "words" ? std::string() : one_of({"bash", "zsh", "fish"}, "")(word);
      });
  sub->add_option("words", completion.words)->group("");

  sub = command("version", "Print the version", version);
  add_json(sub, version.json);

  sub = command("master", "Started by Muster itself", master);
  sub->group("");
  sub->add_option("--job", master.job_folder);
  sub->add_option("--on", master.on)->check(CLI::IsMember({"yarn"}));
  sub->add_option("--ready-fd", master.ready_fd);
  sub->add_option("--lock-fd", master.lock_fd);
  sub->add_flag("--followed", master.followed);
  add_spark(sub, master.spark);
}

Parser::Parser() {
  app.require_subcommand(0, 1);
  app.set_help_flag("-h,--help", "Print help");
  app.add_flag("--version", version_flag, "Print the version");
  app.get_formatter()->column_width(28);
  add_run_commands();
  add_job_commands();
  add_spec_commands();
  add_fs_commands();
  add_other_commands();
}

/// CLI11 prints the help of one command of a group under the program's name alone.
std::string help_of(const CLI::App& app, const std::vector<std::string>& words) {
  if (words.size() > 2 && words[0] == "fs" && !words[1].starts_with("-")) {
    const CLI::App* group = app.get_subcommand("fs");
    for (const CLI::App* verb : group->get_subcommands([](const CLI::App*) { return true; })) {
      if (verb->get_name() == words[1]) {
        return verb->help("muster fs");
      }
    }
  }
  return app.help();
}

std::vector<CommandHelp> help_of_commands(const CLI::App& app, const std::string& name) {
  std::vector<CommandHelp> all;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (sub->get_group().empty()) {
      continue;
    }
    CommandHelp help{.name = sub->get_name(),
                     .description = sub->get_description(),
                     .usage = sub->help(name),
                     .options = option_names(*sub),
                     .subcommands = help_of_commands(*sub, name + " " + sub->get_name())};
    help.takes_job = std::ranges::any_of(sub->get_options(), [](const CLI::Option* option) {
      return option->get_name(true) == "job";
    });
    all.push_back(std::move(help));
  }
  return all;
}

}  // namespace

Command parse_command_line(std::vector<std::string> words) {
  const auto parser = std::make_unique<Parser>();
  const bool asks_help = std::ranges::find(words, "--help") != words.end();
  if (!words.empty() && words[0] == "tony" && !asks_help) {
    return TonyOptions{{std::next(words.begin()), words.end()}};
  }
  // For fs, which has no job, -- only ends the options.
  const bool for_fs = !words.empty() && words[0] == "fs";
  std::vector<std::string> job_words;
  if (for_fs) {
    take_hadoops_options(words);
  } else {
    job_words = take_job_words(words);
  }
  std::vector<std::string> reversed(words.rbegin(), words.rend());
  try {
    parser->app.parse(std::move(reversed));
  } catch (const CLI::CallForHelp&) {
    return Printed{help_of(parser->app, words), {}, 0};
  } catch (const CLI::CallForAllHelp&) {
    return Printed{parser->app.help(), {}, 0};
  } catch (const CLI::ParseError& error) {
    return explain_mistake(parser->app, words, error);
  }
  if (parser->version_flag) {
    return VersionOptions{};
  }
  if (!parser->chosen) {
    return Printed{{}, parser->app.help(), 2};
  }
  Command command = parser->chosen();
  put_words(command, std::move(job_words));
  return command;
}

std::vector<CommandHelp> command_help() {
  const auto parser = std::make_unique<Parser>();
  return help_of_commands(parser->app, "muster");
}

}  // namespace muster::app
