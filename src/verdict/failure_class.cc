#include "verdict/failure_class.h"

#include <algorithm>

namespace muster::verdict {
namespace {

using job::FailureKind;
using job::Remedy;

constexpr FailureClass kClasses[] = {
    // The program or its input is wrong: trying again cannot help.
    {"user.import", FailureKind::User, Remedy::GiveUp, "a Python import failed",
     "the task's Python cannot import {}: install it there (`python: {env: ...}` ships an "
     "environment), or list the file under `files`"},
    {"user.framework", FailureKind::User, Remedy::GiveUp,
     "the task's Python lacks the job's framework, or a part of it",
     "the task's Python cannot import {}: install it there, activate an environment that has it "
     "before "
     "`muster run`, or ship one with `python: {env: ...}`"},
    {"user.framework_program", FailureKind::User, Remedy::GiveUp,
     "the framework's own program (`runtime.program`) failed",
     "run it by hand with a view on its standard input, as in `echo '{\"worker\":[]}' | PROGRAM`: "
     "it "
     "must end with status 0 and print nothing but lines NAME=VALUE"},
    {"user.library", FailureKind::User, Remedy::GiveUp,
     "a shared library is missing, or was built for other versions",
     "a library is missing or does not match the others: rebuild the environment on a system like "
     "the cluster's and check LD_LIBRARY_PATH"},
    {"user.syntax", FailureKind::User, Remedy::GiveUp, "the program does not parse",
     "fix the line shown above; if it is right, the task runs a different interpreter version than "
     "you do"},
    {"user.command_not_found", FailureKind::User, Remedy::GiveUp,
     "the command, or the interpreter named in its first line, does not exist (exit code 127)",
     "check the command's spelling and the task's PATH; a script of your own must be listed under "
     "`files`, and its first line must name an existing interpreter and not end in a carriage "
     "return"},
    {"user.not_executable", FailureKind::User, Remedy::GiveUp,
     "the command exists but cannot be executed (exit code 126)",
     "chmod +x the file, or start it through its interpreter (`python3 train.py`)"},
    {"user.arguments", FailureKind::User, Remedy::GiveUp, "the program refused its arguments",
     "compare `command` with the program's own --help"},
    {"user.missing_file", FailureKind::User, Remedy::GiveUp, "a file or data set does not exist",
     "list the file under `files`, or use a path that exists on every host; each task runs in its "
     "own folder"},
    {"user.permission", FailureKind::User, Remedy::GiveUp, "no permission to read or write a file",
     "write below the task's folder or MUSTER_CHECKPOINT_DIR, or give the job's user permission"},
    {"user.assertion", FailureKind::User, Remedy::GiveUp, "an assertion of the program failed",
     "the program's own check failed: see the line above"},
    {"user.traceback", FailureKind::User, Remedy::GiveUp,
     "Python raised an error that points to a mistake in the program or its data (ValueError, "
     "KeyError, ...)",
     "the error is in the program or its data: see the last frame above"},
    {"user.nan", FailureKind::User, Remedy::GiveUp, "the loss became NaN or infinite",
     "training diverged: lower the learning rate, clip gradients, look for bad input, and resume "
     "from "
     "an earlier checkpoint"},
    {"user.world_size", FailureKind::User, Remedy::GiveUp,
     "the program and its environment disagree about ranks or roles",
     "check that `framework` is the one that the program uses (--framework pytorch), because it "
     "sets ranks and addresses, and that the program takes them from its environment"},
    {"user.spawn_guard", FailureKind::User, Remedy::GiveUp,
     "multiprocessing starts processes while the main module is still being imported",
     "put the program's entry point under `if __name__ == '__main__':`"},
    {"user.ddp_unused", FailureKind::User, Remedy::GiveUp,
     "DistributedDataParallel found parameters that do not contribute to the loss",
     "pass find_unused_parameters=True to DistributedDataParallel, or use every parameter in the "
     "loss"},
    {"user.device_assert", FailureKind::User, Remedy::GiveUp, "an assertion on the GPU failed",
     "usually a label or index is out of range; CUDA_LAUNCH_BLOCKING=1 shows the line"},
    {"user.device_mix", FailureKind::User, Remedy::GiveUp,
     "tensors on different devices were mixed",
     "move model and input to the same device (LOCAL_RANK says which GPU belongs to this task)"},
    {"user.credentials", FailureKind::User, Remedy::GiveUp,
     "a service refused the credentials: missing, expired, or without the necessary permission",
     "log in, renew the token or ask for access, and pass it to the task through `env`"},
    {"user.data", FailureKind::User, Remedy::GiveUp,
     "an input file is damaged, or not in the format that the program expects",
     "check the file named above: complete, of the expected format, with the expected columns"},
    {"user.input", FailureKind::User, Remedy::GiveUp,
     "the program asked for input, or started a debugger: tasks have no terminal and an empty "
     "standard input",
     "pass the answer as an argument, in `env` or in a file, and take out breakpoints; `muster "
     "shell` opens a terminal beside a running task"},
    {"user.build", FailureKind::User, Remedy::GiveUp, "code could not be compiled or installed",
     "the compiler's own message is further up in the log; build the extension before the job and "
     "ship it (`python: {env: ...}`)"},
    {"user.interrupt", FailureKind::User, Remedy::GiveUp, "the program was interrupted (SIGINT)",
     "something sent SIGINT to the task; `muster stop` stops a job cleanly"},
    {"user.exit", FailureKind::Program, Remedy::Restart,
     "the program ended with an error exit code and no reason that Muster recognizes",
     "see the log: only the program knows what its exit code means; `rules` in the specification "
     "can give it a class"},

    // The program ended, but not for a reason that is certain.
    {"program.exception", FailureKind::Program, Remedy::Restart,
     "Python raised an error that is not known to be the program's fault",
     "see the traceback in the log"},
    {"program.killed", FailureKind::Resource, Remedy::Restart, "killed from outside (SIGKILL)",
     "usually the kernel's out-of-memory killer (see dmesg), otherwise a person: ask for more "
     "`memory` or use less"},
    {"program.terminated", FailureKind::Program, Remedy::Restart,
     "terminated from outside (SIGTERM)", "something other than Muster sent SIGTERM to the task"},
    {"program.segfault", FailureKind::Program, Remedy::Restart, "invalid memory access (SIGSEGV)",
     "a native library crashed; PYTHONFAULTHANDLER=1 shows the Python line"},
    {"program.abort", FailureKind::Program, Remedy::Restart, "the program aborted (SIGABRT)",
     "a native library called abort: the line above says why"},
    {"program.bus", FailureKind::Program, Remedy::Restart, "access beyond a mapped file (SIGBUS)",
     "a mapped file shrank, or /dev/shm or the disk is full"},
    {"program.illegal", FailureKind::Resource, Remedy::Elsewhere,
     "an instruction that this processor does not support (SIGILL)",
     "the program was built for a newer processor than this host's"},
    {"program.arithmetic", FailureKind::Program, Remedy::Restart,
     "integer division by zero or the like (SIGFPE)", "a native library divided by zero"},
    {"program.signal", FailureKind::Program, Remedy::Restart, "ended by another signal",
     "find out what sends this signal, or which limit it indicates"},
    {"program.stalled", FailureKind::Program, Remedy::Elsewhere,
     "the program hangs: no output, no computing, no files for `stall.after`",
     "`muster show` has the stacks; `stall` in the specification decides what follows"},
    {"program.child_lost", FailureKind::Program, Remedy::Restart,
     "a helper process of the program (a data loader, a pool) died",
     "find out why the helper ended (see above); often it ran out of memory"},

    // Memory.
    {"memory.limit", FailureKind::Resource, Remedy::GiveUp,
     "the task, or on a cluster its container, exceeded its memory limit",
     "raise the role's `memory`, or use less (smaller batches, fewer loader processes)"},
    {"memory.host", FailureKind::Resource, Remedy::Restart,
     "the host ran out of memory and the kernel ended the task",
     "use less, run fewer tasks on one host, or set the role's `memory`, so that tasks wait until "
     "there is room"},
    {"memory.allocation", FailureKind::Resource, Remedy::Restart, "memory could not be allocated",
     "ask for less at once, or raise the role's `memory` and the process's own limits (ulimit -v)"},
    {"memory.shm", FailureKind::Resource, Remedy::Elsewhere,
     "shared memory (/dev/shm) is too small",
     "enlarge /dev/shm on the host (docker: --shm-size), or use num_workers=0"},
    {"memory.gpu", FailureKind::Resource, Remedy::Restart, "the GPU ran out of memory",
     "use smaller batches or accumulate gradients; nvidia-smi shows who else uses the GPU"},

    // GPUs.
    {"gpu.hardware", FailureKind::Infrastructure, Remedy::Elsewhere,
     "a GPU is broken or fell off the bus",
     "take the host out of service and look at its kernel log"},
    {"gpu.driver", FailureKind::Infrastructure, Remedy::Elsewhere,
     "the host's GPU driver is broken or too old for the CUDA version in use",
     "update the host's driver, or use a build for an older CUDA"},
    {"gpu.busy", FailureKind::Resource, Remedy::Elsewhere, "another process holds the GPU",
     "nvidia-smi on the host shows who; in exclusive mode only one process can use a GPU"},
    {"gpu.none", FailureKind::Resource, Remedy::Elsewhere,
     "the task sees no GPU, or not the one that it asked for",
     "request GPUs (`gpus: 1` in the role; `gpus: 0` hides them all); a task sees only its own, "
     "numbered from 0; if it has some, the host's GPUs may not be working"},
    {"gpu.architecture", FailureKind::Resource, Remedy::Elsewhere,
     "the program was built for a different kind of GPU", "use a build that supports this GPU"},
    {"gpu.not_compiled", FailureKind::User, Remedy::GiveUp, "the framework was built without CUDA",
     "install a CUDA build of the framework, or let the program fall back to the CPU"},
    {"gpu.library", FailureKind::Program, Remedy::Restart,
     "a GPU library (cuDNN, cuBLAS, ...) failed",
     "often the GPU's memory is full, or the library does not match the framework or the driver"},
    {"gpu.illegal_access", FailureKind::Program, Remedy::Restart,
     "invalid memory access on the GPU",
     "CUDA_LAUNCH_BLOCKING=1 shows the line; if it moves between hosts, suspect the code"},

    // Ports and peers.
    {"port.in_use", FailureKind::Resource, Remedy::NewPorts, "a port was already in use",
     "use the ports that Muster reserves (MUSTER_PORT, `ports:`), not fixed ones"},
    {"peer.lost", FailureKind::PeerLoss, Remedy::Restart, "the connection to another task broke",
     "another task ended first: look at that one, not at this one"},
    {"peer.refused", FailureKind::PeerLoss, Remedy::Restart,
     "nothing listens at the address the program connects to",
     "the peer has ended or has not started; an address outside the job must be reachable from "
     "this host"},
    {"rendezvous.timeout", FailureKind::PeerLoss, Remedy::Restart,
     "the framework timed out waiting for other tasks",
     "some task did not start up in time: look for one that ended early or hangs"},
    {"collective.timeout", FailureKind::PeerLoss, Remedy::Restart,
     "a collective operation timed out waiting for other tasks",
     "one task is behind, hangs, or runs a different sequence of operations"},
    {"collective.system", FailureKind::PeerLoss, Remedy::Restart,
     "the collective library reported a failure of the network, the driver or a peer",
     "NCCL_DEBUG=WARN names the call; check interfaces (NCCL_SOCKET_IFNAME) and driver"},
    {"collective.usage", FailureKind::User, Remedy::GiveUp,
     "the collective library was used wrongly",
     "two ranks share one GPU (run one task per GPU, and select the device by LOCAL_RANK), or "
     "their calls or the sizes of their tensors differ"},
    {"network.interface", FailureKind::Resource, Remedy::Elsewhere,
     "the collective library found no usable network interface",
     "set `network.interface`, or NCCL_SOCKET_IFNAME / GLOO_SOCKET_IFNAME"},
    {"network.resolve", FailureKind::Resource, Remedy::Restart, "a host name could not be resolved",
     "check the name, and the host's DNS"},
    {"network.unreachable", FailureKind::Resource, Remedy::Elsewhere,
     "an address cannot be reached", "check this host's routes and firewalls"},
    {"network.timeout", FailureKind::PeerLoss, Remedy::Restart, "a connection timed out",
     "the other side is down, overloaded, or behind a firewall"},
    {"network.download", FailureKind::Resource, Remedy::Restart,
     "something could not be downloaded",
     "cluster hosts often have no internet access: put the data under `files` or on shared "
     "storage"},

    // Disks and limits.
    {"disk.full", FailureKind::Resource, Remedy::Elsewhere, "a disk is full",
     "free space on the host, write fewer checkpoints, or write elsewhere"},
    {"disk.quota", FailureKind::Resource, Remedy::GiveUp, "the user's disk quota is exhausted",
     "free space in the folder shown, or have the quota raised"},
    {"disk.read_only", FailureKind::Resource, Remedy::Elsewhere, "a file system is read-only",
     "write below the task's folder; a disk that turned read-only is probably broken"},
    {"disk.io", FailureKind::Infrastructure, Remedy::Elsewhere,
     "a disk or network file system failed", "look at the host's kernel log and its mounts"},
    {"limit.files", FailureKind::Resource, Remedy::Restart, "too many open files",
     "raise `ulimit -n`, close what is not needed, or use fewer loader processes"},
    {"limit.processes", FailureKind::Resource, Remedy::Elsewhere,
     "no more processes or threads allowed",
     "raise `ulimit -u` or the cgroup's pids.max, or use fewer loader processes and threads"},
    {"limit.file_size", FailureKind::Resource, Remedy::GiveUp,
     "a file grew beyond the allowed size", "raise `ulimit -f`"},
    {"limit.locked_memory", FailureKind::Resource, Remedy::Elsewhere,
     "the limit on locked memory was reached (RDMA needs it)",
     "set `ulimit -l` to unlimited on the host"},

    // Checkpoints.
    {"checkpoint.corrupt", FailureKind::Program, Remedy::Restart,
     "a checkpoint is damaged or incomplete",
     "resume from an earlier checkpoint; write to a temporary name and rename when complete"},
    {"checkpoint.mismatch", FailureKind::User, Remedy::GiveUp,
     "a checkpoint does not match the model that reads it",
     "the model changed since the checkpoint was written: use another checkpoint folder"},

    // Ends that no agent saw: the container, the host, and Muster itself.
    {"host.lost", FailureKind::Infrastructure, Remedy::Elsewhere, "the host was lost",
     "nothing is wrong with the program: its tasks start elsewhere; tell the administrators if the "
     "same host is lost again"},
    {"host.disk", FailureKind::Infrastructure, Remedy::Elsewhere, "the host's disks failed",
     "have the host's disks checked; its tasks start elsewhere"},
    {"container.preempted", FailureKind::Infrastructure, Remedy::Restart,
     "the cluster preempted the container for another job",
     "use a queue with more capacity of its own or a higher priority, and write checkpoints often"},
    {"container.killed", FailureKind::Infrastructure, Remedy::Restart,
     "the cluster or a person ended the container",
     "the message has the cluster's reason; where it has none, ask its administrators who ended "
     "it"},
    {"container.released", FailureKind::Infrastructure, Remedy::Restart,
     "the container was released while a task was running in it",
     "`muster show` lists what came before; if nothing there asked for it, report it"},
    {"container.terminated", FailureKind::Infrastructure, Remedy::Restart,
     "the container was asked to exit (SIGTERM to its first process)",
     "find out what on the host sends SIGTERM: a service manager, a shutdown, a person"},
    {"container.launch", FailureKind::Infrastructure, Remedy::Elsewhere,
     "the agent could not be started in the container",
     "the message has the reason: usually a full disk, a limit on processes, or a `python` or "
     "Docker "
     "image that the host does not have"},
    {"agent.ended", FailureKind::Infrastructure, Remedy::Restart,
     "the container's agent ended on its own",
     "look at the host's kernel log (dmesg) for its out-of-memory killer; otherwise report it"},
    {"agent.silent", FailureKind::Infrastructure, Remedy::Elsewhere,
     "the container's agent stopped responding",
     "check whether the host is overloaded or cut off; `liveness: {lost: 1m}` allows more time"},
    {"agent.unreachable", FailureKind::Infrastructure, Remedy::Elsewhere,
     "a new master could not reach the container's agent",
     "let the hosts connect to each other: check firewalls, or set `network.port_range` to ports "
     "that are open"},
    {"attempt.vanished", FailureKind::Infrastructure, Remedy::Restart,
     "an agent came back without the attempt",
     "nothing is wrong with the program: it is started again; report it if it happens repeatedly"},
    {"deadline.join", FailureKind::Infrastructure, Remedy::Restart,
     "the task did not join in time (`deadlines.join`)",
     "preparing files takes the longest: archives to unpack, a checkpoint to restore, a slow disk; "
     "allow more time with `deadlines: {join: 15m}`"},
    {"agent.no_plan", FailureKind::Infrastructure, Remedy::Restart,
     "the agent was asked to prepare an attempt before it knew the job's plan",
     "this is a bug in Muster: report it with the output of `muster show --json`"},
    {"agent.unknown_attempt", FailureKind::Infrastructure, Remedy::Restart,
     "the agent was asked to start an attempt that it does not know",
     "this is a bug in Muster: report it with the output of `muster show --json`"},
    {"agent.orphaned", FailureKind::Infrastructure, Remedy::Restart,
     "no master came back in time (`liveness.orphan`), and the agent ended its tasks",
     "find out why no master could start; `liveness: {orphan: 1h}` lets tasks wait longer"},
    {"agent.preparation", FailureKind::Infrastructure, Remedy::Restart,
     "the task's folder, files or ports could not be prepared",
     "the message names what failed: usually a full disk, a missing permission, or no free port"},
    {"user.files", FailureKind::User, Remedy::GiveUp,
     "an entry of `files` or `python` is wrong, or may not be read",
     "fix the entry of `files:` or `python:` that the message names"},
    {"exit.unknown", FailureKind::Program, Remedy::Restart,
     "the attempt ended, and its agent did not say why",
     "look at the task's log and the host's kernel log (dmesg)"},
    {"stopped", FailureKind::Stopped, Remedy::GiveUp,
     "Muster ended it (stop, or restart of its gang)",
     "nothing: look at the task that failed first"},

    // Ends of the whole job.
    {"deadline.queue", FailureKind::Infrastructure, Remedy::GiveUp,
     "the cluster granted no container in time (`deadlines.queue`)",
     "ask for less, use another queue, or allow more time"},
    {"deadline.gather", FailureKind::Infrastructure, Remedy::GiveUp,
     "a gang was not complete in time (`deadlines.gather`)",
     "ask for fewer tasks, allow more time, or set `min` and `max` in the role instead of `tasks`"},
    {"deadline.group", FailureKind::Program, Remedy::GiveUp,
     "a role did not end in time after the ones it is tied to (`deadline_after`)",
     "allow more time in `deadline_after`, or look for a task that hangs"},
    {"deadline.run", FailureKind::Program, Remedy::GiveUp,
     "the job did not end in time (`deadlines.run`)",
     "allow more time, or look for a task that hangs"},
    {"stop.user", FailureKind::Stopped, Remedy::GiveUp, "somebody stopped the job",
     "nothing is broken: submit the job again to run it"},
    {"after.unmet", FailureKind::Program, Remedy::GiveUp,
     "a role that another one waits for (`after`) did not succeed",
     "fix what failed in that role first"},
    {"cluster.refused", FailureKind::Infrastructure, Remedy::GiveUp,
     "the cluster refused a container",
     "the message has the cluster's reason; ask for less, or for what the cluster offers"},
    {"cluster.application", FailureKind::Infrastructure, Remedy::GiveUp,
     "the cluster ended the application",
     "the message has the cluster's reason; `yarn logs` has the master's output"},
};

/// What the first part of an unknown name implies.
constexpr FailureClass kFamilies[] = {
    {"user.", FailureKind::User, Remedy::GiveUp, "", ""},
    {"peer.", FailureKind::PeerLoss, Remedy::Restart, "", ""},
    {"rendezvous.", FailureKind::PeerLoss, Remedy::Restart, "", ""},
    {"collective.", FailureKind::PeerLoss, Remedy::Restart, "", ""},
    {"memory.", FailureKind::Resource, Remedy::Restart, "", ""},
    {"limit.", FailureKind::Resource, Remedy::Restart, "", ""},
    {"network.", FailureKind::Resource, Remedy::Restart, "", ""},
    {"port.", FailureKind::Resource, Remedy::NewPorts, "", ""},
    {"disk.", FailureKind::Resource, Remedy::Elsewhere, "", ""},
    {"gpu.", FailureKind::Infrastructure, Remedy::Elsewhere, "", ""},
    {"host.", FailureKind::Infrastructure, Remedy::Elsewhere, "", ""},
    {"container.", FailureKind::Infrastructure, Remedy::Restart, "", ""},
    {"agent.", FailureKind::Infrastructure, Remedy::Restart, "", ""},
    {"stopped.", FailureKind::Stopped, Remedy::GiveUp, "", ""},
};

}  // namespace

std::span<const FailureClass> failure_classes() { return kClasses; }

FailureClass find_class(std::string_view name) {
  const auto known = std::ranges::find(kClasses, name, &FailureClass::name);
  if (known != std::end(kClasses)) {
    return *known;
  }
  const auto family = std::ranges::find_if(
      kFamilies, [&](const FailureClass& row) { return name.starts_with(row.name); });
  FailureClass found = family != std::end(kFamilies) ? *family : FailureClass{};
  found.name = name;
  return found;
}

}  // namespace muster::verdict
