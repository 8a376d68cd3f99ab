#pragma once

#include "app/cli.h"
#include "app/session.h"

/// What each command does. All print for themselves and return the exit status.
namespace muster::app {

int run_job(Session& session, const RunCommand& command);
int submit_job(Session& session, const SubmitCommand& command);
int plan_job(Session& session, const PlanOptions& command);
int demo(Session& session, const DemoOptions& command);

int list_running(Session& session, const PsCommand& command);
int list_ended(Session& session, const HistoryCommand& command);
int show_status(Session& session, const StatusCommand& command);
int show_job(Session& session, const ShowCommand& command);
int show_why(Session& session, const WhyCommand& command);
int show_tensorboard(Session& session, const TensorboardOptions& command);
int run_portal(Session& session, const PortalOptions& command);
int show_logs(Session& session, const LogsOptions& command);
int stop_job(Session& session, const StopOptions& command);
int clean_jobs(Session& session, const CleanOptions& command);

int validate_spec(Session& session, const SpecFileOptions& command);
int explain_key(Session& session, const ExplainOptions& command);
int show_config(Session& session, const ConfigOptions& command);
int init_folder(Session& session, const InitOptions& command);
int check_machine(Session& session, const DoctorOptions& command);
int print_completion(Session& session, const CompletionOptions& command);
int print_version(Session& session, const VersionOptions& command);

/// `muster tony`: what users of TonY have, as a specification.
int run_tony(Session& session, const TonyOptions& command);

/// `muster fs`: the commands on files of HDFS.
int run_fs(Session& session, const FsOptions& command);

/// `muster master`, started by the local cluster; has no terminal.
int run_master(Session& session, const MasterCommand& command);
/// The same, started by YARN as an application's master.
int run_yarn_master(Session& session);
/// `muster agent` and `muster keeper`: their own words, apart from people's command line.
int run_agent(const std::vector<std::string>& words, char** variables);
int run_keeper(const std::vector<std::string>& words, char** variables);

/// Makes the source of a job from what was typed.
[[nodiscard]] client::JobSource source_of(const SpecOptions& options);

}  // namespace muster::app
