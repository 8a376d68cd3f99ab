#include "spec/codec.h"
#include "spec/keys.h"
#include "spec/names.h"

#include <array>
#include <span>

// The keys at the top of a specification and those of a role.

namespace muster::spec {
namespace {

constexpr int64_t kMebibyte = 1 << 20;

constexpr std::string_view kProposed = "proposed by the framework";
constexpr std::string_view kFromTop = "that of the top";

constexpr std::array kRoleRows = {
    row<&Role::tasks>("tasks", {.doc = "How many tasks the role has.",
                                .min = 1,
                                .max = kTasksMax,
                                .also = "instances replicas count num number workers nodes size"}),
    row<&Role::min>(
        "min",
        {.doc = "The fewest tasks the role may live with. Give min and max instead of tasks.",
         .unset = "the role has a fixed size",
         .min = 1,
         .max = kTasksMax,
         .also = "min_tasks"}),
    row<&Role::max>("max", {.doc = "The most tasks of a role that has min; so many are asked for.",
                            .unset = "the role has a fixed size",
                            .min = 1,
                            .max = kTasksMax,
                            .also = "max_tasks"}),
    row<&Role::tasks_per_container>(
        "tasks_per_container",
        {.doc = "How many tasks share one container and thus one host. All resources "
                "stay per task; the container asks for their sum.",
         .min = 1,
         .max = 1024,
         .also = "nproc_per_node procs_per_node slots"}),
    row<&Role::memory>("memory",
                       {.doc = "Memory of each task, a limit that is kept: its processes together, "
                               "shared memory counted once.",
                        .min = kMebibyte,
                        .also = "mem ram memory_mb"}),
    row<&Role::vcores>("vcores",
                       {.doc = "Cores of each task. OMP_NUM_THREADS defaults to this number.",
                        .min = 1,
                        .max = 4096,
                        .also = "cpu cpus cores vcpus"}),
    row<&Role::gpus>("gpus",
                     {.doc = "GPUs of each task; it sees exactly these. With 0 it sees none.",
                      .max = 1024,
                      .also = "gpu accelerators"}),
    row<&Role::resources>("resources",
                          {.doc = "Further resources of each task by the cluster's name for them, "
                                  "as in {yarn.io/fpga: 1}."}),
    row<&Role::node_label>("node_label", {.doc = "The node label where its containers may run.",
                                          .unset = "yarn.node_label",
                                          .check = wrong_line,
                                          .also = "label nodelabel"}),
    row<&Role::constraint>("constraint",
                           {.doc = "A placement constraint in YARN's own notation, as in "
                                   "notin,node,ps: in, notin, cardinality, and(), or().",
                            .unset = "no constraint",
                            .check = wrong_line,
                            .also = "placement"}),
    row<&Role::allocation_tags>("allocation_tags",
                                {.doc = "Tags of its containers that placement constraints "
                                        "refer to.",
                                 .unset = "the role's name",
                                 .check = wrong_word,
                                 .also = "tags"}),
    row<&Role::docker>(
        "docker", {.doc = "Runs its tasks in a Docker container, where the cluster offers that.",
                   .unset = "no Docker"}),
    row<&Role::success>(
        "success", {.doc = "What its success means. required: the job waits for it. ends_job: it "
                           "ends the job. ignored: the job does not wait for it.",
                    .unset = kProposed}),
    row<&Role::failure>(
        "failure", {.doc = "What the failure of one of its tasks means once the restarts are "
                           "spent. tolerated: the job fails only if every required task failed.",
                    .unset = kProposed}),
    row<&Role::membership>(
        "membership",
        {.doc =
             "What a change of one task means for the others. static: the whole gang starts "
             "again, with min and max as soon as min are there, and once more when others come. "
             "rejoin: it comes back under the same address while the others run. elastic: the role "
             "lives with min to max tasks, which come and go while the others run. independent: "
             "nobody else is concerned.",
         .unset = kProposed}),
    row<&Role::after>(
        "after",
        {.doc = "The roles it waits for, as in [db], until these have ended; or a map that "
                "says what to wait for, as in {db: succeeded, cache: running}.",
         .also = "depends_on needs requires"}),
    row<&Role::deadline_after>("deadline_after",
                               {.doc = "The time it has to end, too, after other roles have "
                                       "ended.",
                                .unset = "no deadline"}),
    row<&Role::ports>(
        "ports", {.doc = "Names of further ports that are reserved for each task: http becomes "
                         "MUSTER_PORT_HTTP.",
                  .check = wrong_port_name,
                  .also = "port"}),
    row<&Role::chief>(
        "chief", {.doc = "Task 0 of this role is the chief. Without it the chief is in the role "
                         "chief, else it is worker:0.",
                  .also = "is_chief master"}),
    row<&Role::command>("command", {.doc = "The command of its tasks.",
                                    .unset = kFromTop,
                                    .check = wrong_command,
                                    .inherited = true,
                                    .also = "cmd run script entrypoint exec"}),
    row<&Role::env>("env", {.doc = "Variables added to those of the top; the same name wins here.",
                            .inherited = true,
                            .also = "environment variables"}),
    row<&Role::files>("files", {.doc = "Replaces the list of the top.",
                                .unset = kFromTop,
                                .inherited = true,
                                .also = "file inputs"}),
    row<&Role::python>(
        "python",
        {.doc = "Keys given here replace those of the top.", .unset = kFromTop, .inherited = true}),
    row<&Role::restart>("restart", {.doc = "Keys given here replace those of the top.",
                                    .unset = kFromTop,
                                    .inherited = true,
                                    .also = "retries retry"})};

constexpr std::array kSpecRows = {
    row<&Spec::name>("name", {.doc = "The job's name; its id begins with it.",
                              .unset = "the name of the file, or of the program",
                              .check = wrong_job_name}),
    row<&Spec::framework>("framework",
                          {.doc = "Whose conventions the tasks follow: what stands in their "
                                  "environment, and which policies are proposed.",
                           .also = "type runtime backend"}),
    row<&Spec::command>(
        "command", {.doc = "The command of every task, run by /bin/sh -c in the task's own folder. "
                           "Words after -- on the command line are appended to it.",
                    .unset = "every role has its own",
                    .check = wrong_command,
                    .also = "cmd run script entrypoint exec"}),
    row<&Spec::files>(
        "files", {.doc = "Files, folders and URIs that every task finds in its own folder, each a "
                         "path or a map.",
                  .also = "file inputs"}),
    row<&Spec::python>("python", {.doc = "The Python environment of the tasks.",
                                  .unset = "what the task finds on PATH"}),
    row<&Spec::env>(
        "env",
        {.doc = "Environment variables of the tasks. A value is text, or a secret: a map with "
                "from_env or from_file.",
         .also = "environment variables"}),
    row<&Spec::roles>(
        "roles", {.doc = "The roles by name, in the order of their ranks. `tasks: 4` alone at the "
                         "top means one role, worker, with 4 tasks.",
                  .also = "role tasks_groups task_types"}),
    row<&Spec::barrier>(
        "barrier", {.doc = "When tasks start. gang: nobody before all have joined. as_granted: "
                           "each as soon as it can.",
                    .unset = "gang, unless the framework proposes otherwise"}),
    row<&Spec::restart>("restart",
                        {.doc = "How often each rung of the ladder is tried for a failed task.",
                         .also = "retries retry"}),
    row<&Spec::rules>("rules",
                      {.doc = "Failure rules of your own, tried in order before the built-in ones.",
                       .also = "rule"}),
    row<&Spec::deadlines>("deadlines", {.doc = "How long the steps of the job may take.",
                                        .also = "timeouts timeout deadline"}),
    row<&Spec::liveness>("liveness",
                         {.doc = "When silence means that a host is lost.", .also = "heartbeat"}),
    row<&Spec::checkpoint>("checkpoint", {.doc = "Where checkpoints go and when they come back.",
                                          .also = "checkpoints ckpt"}),
    row<&Spec::tensorboard>(
        "tensorboard",
        {.doc = "Runs TensorBoard beside the chief, shown on the job's page. Whatever "
                "becomes of it, the job goes on.",
         .unset = "no TensorBoard"}),
    row<&Spec::master>("master",
                       {.doc = "The container of the job's master.", .also = "am driver"}),
    row<&Spec::logs>("logs", {.doc = "How much output is kept.", .also = "log"}),
    row<&Spec::network>("network", {.doc = "Where master and agents listen."}),
    row<&Spec::yarn>("yarn", {.doc = "What only YARN understands."}),
    row<&Spec::local>("local", {.doc = "What only the local cluster understands."})};

}  // namespace

std::span<const Row> role_rows() { return kRoleRows; }

std::span<const Row> spec_rows() { return kSpecRows; }

}  // namespace muster::spec
