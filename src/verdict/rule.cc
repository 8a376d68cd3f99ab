#include "verdict/rule.h"

#include <array>
#include <csignal>

namespace muster::verdict {
namespace {

using enum Ending;
using enum Where;

constexpr auto kCertain = std::to_array<Rule>({
    {"stopped", Stopped},
    {"memory.limit", OverMemory},
    {"memory.limit", ClusterCode, -103},
    {"memory.limit", ClusterCode, -104},
    {"host.lost", ClusterCode, -100},
    {"host.disk", ClusterCode, -101},
    {"container.preempted", ClusterCode, -102},
    {"container.killed", ClusterCode, -105},
    {"container.killed", ClusterCode, -106},
    {"container.killed", ClusterCode, -107},
    // These come from outside: what the program said before has nothing to do with it.
    {"program.killed", Signal, SIGKILL},
    {"program.terminated", Signal, SIGTERM},
    {"user.interrupt", Signal, SIGINT},
});

constexpr auto kTelling = std::to_array<Rule>({
    {"user.library", Any, 0, Error,
     R"(error while loading shared libraries|cannot open shared object file|undefined symbol: )"},
    {"user.library", Any, 0, Error,
     R"(version .(?:GLIBC|GLIBCXX|CXXABI)_[\d.]+. not found|binary incompatibility)"},
    {"user.library", Any, 0, Error, R"(compiled (?:against|using) (?:API|ABI|NumPy))"},
    {"user.command_not_found", Code, 127},
    {"user.not_executable", Code, 126},
    {"user.spawn_guard", Any, 0, Output,
     R"(before the\s+current process has finished its bootstrapping phase)"},

    {"memory.shm", Any, 0, Output,
     R"(insufficient shared memory|out of shared memory|No space left on device.{0,80}/dev/shm)"},
    {"memory.shm", Any, 0, Output, R"(unable to (?:write to|open|mmap|allocate) .{0,80}(?:/torch_|shm))"},
    {"memory.gpu", Any, 0, Error, R"((?:CUDA|HIP) (?:error: )?out of memory|CUDA_ERROR_OUT_OF_MEMORY)"},
    {"memory.gpu", Any, 0, Error, R"(OOM when allocating .*device:GPU|_STATUS_ALLOC_FAILED)"},
    {"memory.gpu", Any, 0, Error, R"(RESOURCE_EXHAUSTED: Out of memory)"},

    {"gpu.hardware", Any, 0, Output, R"(Xid \(PCI:[^)]*\): (?:48|63|64|74|79|94|95)\b)"},
    {"gpu.hardware", Any, 0, Output, R"(uncorrectable ECC error|fallen off the bus|GPU is lost)"},
    {"gpu.driver", Any, 0, Error, R"(CUDA driver version is insufficient|driver on your system is too old)"},
    {"gpu.driver", Any, 0, Error, R"(Driver/library version mismatch)"},
    {"gpu.busy", Any, 0, Error, R"(CUDA-capable devices? (?:is|are) busy or unavailable)"},
    {"gpu.none", Any, 0, Error, R"(no CUDA-capable device|Found no NVIDIA driver|No CUDA GPUs are available)"},
    {"gpu.none", Any, 0, Error, R"(invalid device ordinal)"},
    {"gpu.architecture", Any, 0, Error, R"(no kernel image is available)"},
    {"gpu.not_compiled", Any, 0, Error, R"(not compiled with CUDA|not linked with support for cuda)"},
    {"user.device_assert", Any, 0, Error, R"(device-side assert triggered)"},
    {"gpu.illegal_access", Any, 0, Error, R"(illegal memory access was encountered|unspecified launch failure)"},
    {"user.device_mix", Any, 0, Error, R"(Expected all tensors to be on the same device)"},
    {"program.illegal", Any, 0, Error, R"(compiled to use \S+ instructions, but these aren't available)"},

    {"limit.locked_memory", Any, 0, Output, R"(ibv_\w+ failed with error Cannot allocate memory|RLIMIT_MEMLOCK)"},
    {"network.interface", Any, 0, Output, R"([Nn]o socket interface found|Unable to find interface for)"},
    {"port.in_use", Any, 0, Error, R"([Aa]ddress already in use|EADDRINUSE|errno: 98\b)"},
    {"port.in_use", Any, 0, Error, R"(Could not start gRPC server|No address added out of total)"},
    {"network.download", Any, 0, Error, R"(couldn't connect to 'https?:|Max retries exceeded with url)"},
    {"network.download", Any, 0, Error, R"(requests\.exceptions\.|urllib3?\.(?:error|exceptions)\.|URL fetch failure)"},

    {"collective.timeout", Any, 0, Output, R"(Watchdog caught collective operation timeout)"},
    {"collective.timeout", Any, 0, Error, R"(Timed out waiting \d+ms for (?:recv|send))"},
    {"collective.timeout", Any, 0, Error, R"(failed to pass monitoredBarrier|ranks was stalled and shut down)"},
    {"collective.usage", Any, 0, Error, R"(Duplicate GPU detected|ncclInvalidUsage)"},
    {"peer.lost", Any, 0, Error, R"(ncclRemoteError|remote process exited or there was a network error)"},
    {"collective.system", Any, 0, Error, R"(nccl(?:System|Internal|UnhandledCuda)Error|unhandled (?:system|cuda) error)"},
    {"peer.lost", Any, 0, Error, R"(Connection (?:closed by|reset by|was likely closed)|[Bb]roken pipe)"},
    {"peer.lost", Any, 0, Error, R"(Collective ops is aborted|stopped sending heartbeats|another task died)"},
    {"peer.lost", Any, 0, Error, R"(UnavailableError|HorovodInternalError|Socket closed|StatusCode\.UNAVAILABLE)"},
    {"peer.lost", Any, 0, Error, R"(error information from remote target /job:)"},
    {"rendezvous.timeout", Any, 0, Error, R"(waiting for clients|client socket has timed out|Socket Timeout)"},
    {"rendezvous.timeout", Any, 0, Error, R"(Barrier timed out|[Rr]endezvous ?(?:has timed out|Timeout))"},
    {"rendezvous.timeout", Any, 0, Error, R"([Ww]ait timeout after|[Tt]imed? ?out waiting for key)"},
    {"peer.refused", Any, 0, Error, R"(Connection refused)"},
    {"user.world_size", Any, 0, Error,
     R"(environment variable (?:RANK|WORLD_SIZE|MASTER_ADDR|MASTER_PORT) expected)"},
    {"user.world_size", Any, 0, Error, R"(group's world size should be|`task_id` \d+ exceeds)"},
    {"network.resolve", Any, 0, Error,
     R"(Name or service not known|[Nn]ame resolution|No address associated with hostname|gaierror)"},
    {"network.unreachable", Any, 0, Error,
     R"(No route to host|Network is unreachable|Cannot assign requested address)"},
    {"network.timeout", Any, 0, Error, R"(Connection timed out|(?m:^(?:TimeoutError|socket\.timeout)))"},

    {"disk.full", Any, 0, Error, R"(No space left on device|PytorchStreamWriter failed writing)"},
    {"disk.quota", Any, 0, Error, R"([Dd]isk quota exceeded)"},
    {"disk.read_only", Any, 0, Error, R"(Read-only file system)"},
    {"disk.io", Any, 0, Error, R"(Input/output error|Stale file handle)"},
    {"limit.files", Any, 0, Error, R"([Tt]oo many open files)"},
    {"limit.processes", Any, 0, Error, R"(can't start new thread|Resource temporarily unavailable|Cannot fork)"},
    {"limit.file_size", Any, 0, Error, R"(File too large)"},
    {"memory.allocation", Any, 0, Error, R"((?:\b|_Array)MemoryError\b|bad_alloc|bad_array_new_length)"},
    {"memory.allocation", Any, 0, Error, R"([Cc]an(?:no|')t allocate memory|OOM when allocating)"},
    {"memory.allocation", Any, 0, Error, R"(Unable to allocate .{0,60} for an array)"},

    {"checkpoint.mismatch", Any, 0, Error, R"(Error\(s\) in loading state_dict|size mismatch for \S+: copying)"},
    {"checkpoint.mismatch", Any, 0, Error, R"(Received incompatible tensor|not bound to checkpointed values)"},
    {"checkpoint.corrupt", Any, 0, Error, R"(PytorchStreamReader failed|invalid load key|Ran out of input)"},
    {"checkpoint.corrupt", Any, 0, Error, R"(DataLossError|too short to be an sstable|Checksum does not match)"},
    {"checkpoint.corrupt", Any, 0, Error, R"(file signature not found|truncated file|HeaderTooLarge)"},
    {"program.child_lost", Any, 0, Error, R"(BrokenProcessPool|DataLoader worker \(pid)"},
    {"program.child_lost", Any, 0, Final, R"((?m:^EOFError$))"},

    {"user.import", Any, 0, Error, R"(No module named '?([\w.]+))"},
    {"user.import", Any, 0, Error, R"(ImportError: cannot import name ('\w+' from '[\w.]+'))"},
    {"user.import", Any, 0, Final, R"((?m:^ImportError\b))"},
    {"user.syntax", Any, 0, Final, R"((?m:^(?:SyntaxError|IndentationError|TabError)\b)|[Ss]yntax error(?::| near))"},
    {"user.ddp_unused", Any, 0, Error, R"(Expected to have finished reduction in the prior iteration)"},
    {"user.nan", Any, 0, Final, R"((?i)\bnan\b|\bFloatingPointError\b|training diverged)"},
    {"user.missing_file", Any, 0, Error, R"(FileNotFoundError|No such file or directory|can't open file)"},
    {"user.permission", Any, 0, Error, R"(PermissionError|Permission denied|Operation not permitted)"},
    {"user.arguments", Code, 2, Final, R"((?m:^usage:)|error: |unrecognized|invalid option|--help)"},
    {"user.assertion", Any, 0, Final, R"((?m:^AssertionError\b)|Assertion .{0,200} failed)"},
    {"user.traceback", Any, 0, Final,
     R"((?m:^(?:ValueError|TypeError|KeyError|IndexError|NameError|AttributeError)\b))"},
    {"user.traceback", Any, 0, Final,
     R"((?m:^(?:UnboundLocalError|ZeroDivisionError|RecursionError|NotImplementedError)\b))"},
    {"user.traceback", Any, 0, Final, R"((?m:^(?:Unicode\w*Error|LookupError|OverflowError)\b))"},
});

constexpr auto kGeneral = std::to_array<Rule>({
    {"program.segfault", Signal, SIGSEGV},
    {"program.abort", Signal, SIGABRT},
    {"program.bus", Signal, SIGBUS},
    {"program.illegal", Signal, SIGILL},
    {"program.arithmetic", Signal, SIGFPE},
    {"peer.lost", Signal, SIGPIPE},
    {"program.signal", AnySignal},
    {"program.exception", Uncaught},
    {"user.exit", Any},
});

}  // namespace

RuleTable built_in_rules() { return {kCertain, kTelling, kGeneral}; }

}  // namespace muster::verdict
