#include "app/fs_cli.h"

#include <CLI/CLI.hpp>

#include <string>

namespace muster::app {
namespace {

using Verb = FsOptions::Verb;

/// Adds one verb with its paths, which `type` names in the help text.
CLI::App* add(CLI::App& group, FsOptions& options, Verb verb, const char* name,
              const char* description, const char* type) {
  CLI::App* command = group.add_subcommand(name, description);
  command->parse_complete_callback([&options, verb] { options.verb = verb; });
  command->add_option("paths", options.paths, "hdfs://HOST:PORT/PATH, /PATH, or below /user/YOU")
      ->required()
      ->type_name(type);
  command
      ->add_option("--conf", options.conf,
                   "Folder of core-site.xml (default: $HADOOP_CONF_DIR, /etc/hadoop/conf)")
      ->type_name("FOLDER");
  return command;
}

void add_json(CLI::App* command, bool& json) {
  command->add_flag("--json", json, "Print JSON with a versioned schema");
}

}  // namespace

void add_fs_verbs(CLI::App& group, FsOptions& options) {
  group.footer(
      "On the side of HDFS *, ?, [a-z], [^a], {a,b} and \\ are wildcards; local names are taken\n"
      "as they are. A target that ends in / is a folder. - stands for standard input or output.");
  CLI::App* command = add(group, options, Verb::Ls, "ls",
                          "List folders and files (without a path: /user/YOU)", "PATH...");
  command->get_option("paths")->required(false);
  command->add_flag("-R,--recursive", options.recursive, "With everything below");
  command->add_flag("-d,--directory", options.directory, "The folders themselves");
  command->set_help_flag("--help", "Print this help message and exit");  // -h is as in hadoop fs.
  command->add_flag("-h,--human", options.human, "Sizes for people");
  add_json(command, options.json);

  add(group, options, Verb::Cat, "cat", "Write files to standard output", "PATH...");

  command = add(group, options, Verb::Put, "put", "Copy local files and folders to HDFS",
                "LOCAL... PATH");
  command->add_flag("-f,--force", options.force, "Overwrite files that exist");
  command->add_flag("-q,--quiet", options.quiet, "No progress");

  command = add(group, options, Verb::Get, "get", "Copy files and folders of HDFS to this machine",
                "PATH... LOCAL");
  command->add_flag("-f,--force", options.force, "Overwrite files that exist");
  command->add_flag("-q,--quiet", options.quiet, "No progress");

  command = add(group, options, Verb::Rm, "rm", "Remove files", "PATH...");
  command->add_flag("-r,-R,--recursive", options.recursive, "Folders, too, with all below them");
  command->add_flag("-f,--force", options.force, "What does not exist is no mistake");
  command->add_flag("--skip-trash", options.skip_trash,
                    "Remove for good, even where the cluster has a trash");

  command = add(group, options, Verb::Mkdir, "mkdir", "Make folders", "PATH...");
  command->add_flag("-p,--parents", options.parents,
                    "Those above, too; one that exists is no mistake");

  add(group, options, Verb::Mv, "mv", "Rename, or move into a folder", "PATH... PATH");

  command =
      add(group, options, Verb::Stat, "stat", "Show what is known of files and folders", "PATH...");
  add_json(command, options.json);
}

}  // namespace muster::app
