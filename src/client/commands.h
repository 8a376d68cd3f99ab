#pragma once

#include "client/options.h"
#include "client/session.h"

/// The commands that people run. All print their own output and return the exit status.
namespace muster::client {

int run_job(Session& session, const RunCommand& command);
int submit_job(Session& session, const SubmitCommand& command);
int plan_job(Session& session, const PlanOptions& command);
int demo(Session& session, const DemoOptions& command);

int list_running(Session& session, const PsCommand& command);
int list_ended(Session& session, const HistoryCommand& command);
int show_status(Session& session, const StatusCommand& command);
int show_job(Session& session, const ShowCommand& command);
int show_why(Session& session, const WhyCommand& command);
int show_account(Session& session, const EffCommand& command);
int show_advice(Session& session, const AdviseCommand& command);
int show_usage(Session& session, const UsageOptions& command);
int show_hosts(Session& session, const HostsOptions& command);
int show_tensorboard(Session& session, const TensorboardOptions& command);
int run_portal(Session& session, const PortalOptions& command);
/// `muster portal --serve`.
int serve_team(Session& session, const PortalOptions& options);
int show_metrics(Session& session, const MetricsOptions& command);
int show_top(Session& session, const TopOptions& command);
int show_logs(Session& session, const LogsOptions& command);
int stop_job(Session& session, const StopOptions& command);
int exec_in_tasks(Session& session, const ExecOptions& command);
int show_stacks(Session& session, const StacksOptions& command);
int debug_task(Session& session, const DebugOptions& command);
int copy_files(Session& session, const CopyOptions& command);
int forward_ports(Session& session, const ForwardOptions& command);
int open_notebook(Session& session, const NotebookOptions& command);
int open_shell(Session& session, const ShellOptions& command);
int configure_ssh(Session& session, const SshConfigOptions& command);
int serve_ssh(Session& session, const SshProxyOptions& command);
int clean_jobs(Session& session, const CleanOptions& command);

int validate_spec(Session& session, const SpecFileOptions& command);
int explain_key(Session& session, const ExplainOptions& command);
int show_config(Session& session, const ConfigOptions& command);
int init_folder(Session& session, const InitOptions& command);
int check_machine(Session& session, const DoctorOptions& command);

/// `muster tony`: runs what users of TonY have as a specification.
int run_tony(Session& session, const TonyOptions& command);

}  // namespace muster::client
