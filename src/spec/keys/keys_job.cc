#include "spec/keys/key_units.h"
#include "spec/keys/keys.h"
#include "spec/names.h"
#include "spec/read/codec.h"

#include <array>
#include <span>

// The keys at the top level of a specification and those of a role.

namespace muster::spec {
namespace {

constexpr std::string_view kProposed = "proposed by the framework";
constexpr std::string_view kFromTop = "the top-level value";

constexpr std::array kRoleRows = {
    row<&Role::tasks>("tasks",
                      {.doc = "How many tasks the role has.",
                       .min = 1,
                       .max = kTasksMax,
                       .also = "instances replicas count num number workers nodes size processes "
                               "procs nproc nprocs num_workers num_tasks num_processes "
                               "world_size"}),
    row<&Role::min>(
        "min", {.doc = "The fewest tasks the role can run with. Set min and max instead of tasks.",
                .unset = "the role has a fixed size",
                .min = 1,
                .max = kTasksMax,
                .also = "min_tasks"}),
    row<&Role::max>("max",
                    {.doc = "The most tasks of a role that has min; this many are requested.",
                     .unset = "the role has a fixed size",
                     .min = 1,
                     .max = kTasksMax,
                     .also = "max_tasks"}),
    row<&Role::tasks_per_container>(
        "tasks_per_container",
        {.doc = "How many tasks share one container, and thus one host. Resources are still given "
                "per task; the container requests their sum.",
         .min = 1,
         .max = 1024,
         .also = "nproc_per_node procs_per_node slots"}),
    row<&Role::memory>(
        "memory",
        {.doc = "Memory of each task, enforced as a limit on all its "
                "processes together; shared memory counts once.",
         .unset = "1g on YARN, the executor's own on Spark; on the local cluster no limit "
                  "but the machine's memory, and none is reserved",
         .min = kMebibyte,
         .also = "mem ram memory_mb memory_gb"}),
    row<&Role::vcores>("vcores",
                       {.doc = "Cores of each task. OMP_NUM_THREADS defaults to this number.",
                        .unset = "1 on YARN and Spark; on the local cluster the machine's cores "
                                 "divided by the tasks on it, and none are reserved",
                        .min = 1,
                        .max = 4096,
                        .also = "cpu cpus cores vcpus vcpu num_cpus num_cores"}),
    row<&Role::gpus>("gpus",
                     {.doc = "GPUs of each task; it sees exactly these. With 0 it sees none.",
                      .unset = "0, or all of the machine's with local.share_gpus",
                      .max = 1024,
                      .also = "gpu accelerators num_gpus ngpus gpu_count"}),
    row<&Role::resources>("resources", {.doc = "Other resources of each task by the cluster's "
                                               "names for them, as in {yarn.io/fpga: 1}."}),
    row<&Role::node_label>("node_label",
                           {.doc = "The label of the nodes that its containers may run on.",
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
    row<&Role::docker>("docker",
                       {.doc = "Runs its tasks in a Docker container, on clusters that support it.",
                        .unset = "no Docker"}),
    row<&Role::success>(
        "success", {.doc = "What its success means. required: the job waits for it. ends_job: it "
                           "ends the job. ignored: the job does not wait for it.",
                    .unset = kProposed}),
    row<&Role::failure>(
        "failure", {.doc = "What the failure of one of its tasks means once its restarts are used "
                           "up. tolerated: the job fails only if every required task failed.",
                    .unset = kProposed}),
    row<&Role::membership>(
        "membership",
        {.doc = "What happens to the other tasks when one leaves or joins. static: the whole gang "
                "restarts; with min and max it restarts as soon as min tasks are there, and again "
                "when more join. rejoin: the task comes back at the same address while the others "
                "run. elastic: the role runs with min to max tasks, which come and go while the "
                "others run. independent: the others are not affected.",
         .unset = kProposed}),
    row<&Role::after>(
        "after", {.doc = "The roles that must have ended before it starts, as in [db]; or a map "
                         "that says what to wait for, as in {db: succeeded, cache: running}.",
                  .also = "depends_on needs requires"}),
    row<&Role::deadline_after>(
        "deadline_after",
        {.doc = "How long it may run after other roles have ended.", .unset = "no deadline"}),
    row<&Role::ports>(
        "ports",
        {.doc =
             "Names of additional ports to reserve for each task: http becomes MUSTER_PORT_HTTP.",
         .check = wrong_port_name,
         .also = "port"}),
    row<&Role::chief>("chief", {.doc = "Makes task 0 of this role the chief. By default the chief "
                                       "is chief:0, or worker:0 if there is no role chief.",
                                .also = "is_chief master"}),
    row<&Role::command>("command",
                        {.doc = "The command of its tasks.",
                         .unset = kFromTop,
                         .check = wrong_command,
                         .inherited = true,
                         .also = "cmd run script entrypoint exec program args arguments"}),
    row<&Role::prepare>("prepare",
                        {.doc = "A command that is run before that of its tasks, in the same "
                                "folder and with the same environment; the task's own is run if "
                                "it succeeds.",
                         .unset = "nothing",
                         .check = wrong_command,
                         .also = "before setup init pre_command"}),
    row<&Role::env>("env",
                    {.doc = "Variables added to the top-level ones; on a clash of names these win.",
                     .inherited = true,
                     .also = "environment variables"}),
    row<&Role::variables>(
        "variables",
        {.doc = "Added to the top-level ones; on a clash of names these win.", .inherited = true}),
    row<&Role::files>("files", {.doc = "Replaces the top-level list.",
                                .unset = kFromTop,
                                .inherited = true,
                                .also = "file inputs"}),
    row<&Role::python>("python", {.doc = "Keys given here replace the top-level ones.",
                                  .unset = kFromTop,
                                  .inherited = true}),
    row<&Role::restart>("restart", {.doc = "Keys given here replace the top-level ones.",
                                    .unset = kFromTop,
                                    .inherited = true,
                                    .also = "retries retry"}),
    row<&Role::stall>(
        "stall", {.doc = "Keys given here replace the top-level ones. Among roles that belong "
                         "together, the longest `after` counts; a role with none is not watched.",
                  .unset = kFromTop,
                  .inherited = true})};

constexpr std::array kSpecRows = {
    row<&Spec::name>("name", {.doc = "The job's name; its id begins with it.",
                              .unset = "the name of the file, or of the program",
                              .check = wrong_job_name}),
    row<&Spec::framework, FrameworkCodec>(
        "framework", {.doc = "The framework whose conventions the tasks follow: it decides what is "
                             "in their environment and proposes policies. Also the name of a "
                             "framework file, yours or the site's: NAME.yaml in the folder "
                             "frameworks of $MUSTER_HOME or beside the site's file.",
                      .also = "type runtime backend",
                      .also_values = "torch=pytorch lightning=pytorch accelerate=pytorch "
                                     "deepspeed=pytorch transformers=pytorch tf=tensorflow "
                                     "keras=tensorflow flax=jax none=generic python=generic",
                      .no_such_value = "; for any other, use generic: programs find their "
                                       "peers' addresses in MUSTER_VIEW"}),
    row<&Spec::command>(
        "command", {.doc = "The command of every task, run by /bin/sh -c in the task's own folder. "
                           "Arguments after -- on the command line are appended to it.",
                    .unset = "every role has its own",
                    .check = wrong_command,
                    .also = "cmd run script entrypoint exec program args arguments"}),
    row<&Spec::files>(
        "files", {.doc = "Files, folders and URIs that every task finds in its own folder, each a "
                         "path or a map.",
                  .also = "file inputs"}),
    row<&Spec::python>("python", {.doc = "The Python environment of the tasks.",
                                  .unset = "what the task finds on PATH",
                                  .also = "requirements pip virtualenv"}),
    row<&Spec::env>(
        "env",
        {.doc = "Environment variables of the tasks. A value is text, or a secret: a map with "
                "from_env or from_file.",
         .also = "environment variables"}),
    row<&Spec::variables>(
        "variables", {.doc = "Environment variables made from the job's view: text with "
                             "placeholders in braces, as in tcp://{scheduler.0.address} or {rank}. "
                             "A variable that refers to something missing, such as a task that is "
                             "away or the rank of a task without one, is left out."}),
    row<&Spec::runtime>(
        "runtime", {.doc = "What Muster needs to know about a framework that is not built in."}),
    row<&Spec::roles>(
        "roles", {.doc = "The roles by name, in the order of their ranks. `tasks: 4` alone at the "
                         "top means one role, worker, with 4 tasks.",
                  .also = "role tasks_groups task_types"}),
    row<&Spec::barrier>("barrier", {.doc = "When tasks start. gang: none before all have joined. "
                                           "as_granted: each as soon as it can.",
                                    .unset = "gang, unless the framework proposes otherwise"}),
    row<&Spec::restart>(
        "restart", {.doc = "How often a failed task is retried on each rung of the restart ladder.",
                    .also = "retries retry"}),
    row<&Spec::stall>("stall",
                      {.doc = "When tasks that do nothing count as hanging, and what happens then.",
                       .also = "hang watchdog"}),
    row<&Spec::hosts>("hosts", {.doc = "Hosts that the job avoids."}),
    row<&Spec::stop_on_first_failure>(
        "stop_on_first_failure",
        {.doc = "The first task that fails with no restarts left fails the job, whatever `failure` "
                "of its role says.",
         .also = "fail_fast"}),
    row<&Spec::chief_failure_fails_job>(
        "chief_failure_fails_job",
        {.doc = "A chief that fails with no restarts left fails the job, whatever `failure` of its "
                "role says: with worker:0 as the chief, the other workers may be `tolerated`."}),
    row<&Spec::rules>("rules",
                      {.doc = "Failure rules of your own, tried in order before the built-in ones.",
                       .also = "rule"}),
    row<&Spec::deadlines>("deadlines", {.doc = "How long the steps of the job may take.",
                                        .also = "timeouts timeout deadline"}),
    row<&Spec::liveness>("liveness",
                         {.doc = "When a silent host counts as lost.", .also = "heartbeat"}),
    row<&Spec::checkpoint>("checkpoint",
                           {.doc = "Where checkpoints are kept and when they are restored.",
                            .also = "checkpoints ckpt"}),
    row<&Spec::tensorboard>("tensorboard",
                            {.doc = "Runs TensorBoard beside the chief, linked from the job's "
                                    "page. If it fails, the job continues.",
                             .unset = "no TensorBoard"}),
    row<&Spec::endpoints>(
        "endpoints",
        {.doc = "Pages that programs of the job serve, by name: listed in the status and on the "
                "job's page, which leads to them. Programs can publish others while they run.",
         .also = "endpoint dashboards dashboard pages"}),
    row<&Spec::master>("master",
                       {.doc = "The container of the job's master.", .also = "am driver"}),
    row<&Spec::logs>("logs", {.doc = "How much output is kept.", .also = "log"}),
    row<&Spec::recording>("recording", {.doc = "What is recorded of what people do inside tasks.",
                                        .also = "record recordings"}),
    row<&Spec::network>("network", {.doc = "Where master and agents listen."}),
    row<&Spec::notify>(
        "notify",
        {.doc = "Who is notified of the job's start, first failure, stalls and end, and how.",
         .also = "notifications notification alert alerts webhook mail"}),
    row<&Spec::yarn>("yarn", {.doc = "Settings for YARN only."}),
    row<&Spec::local>("local", {.doc = "Settings for the local cluster only."})};

}  // namespace

std::span<const Row> role_rows() { return kRoleRows; }

std::span<const Row> spec_rows() { return kSpecRows; }

}  // namespace muster::spec
