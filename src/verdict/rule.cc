#include "verdict/rule.h"

#include "verdict/signal_name.h"

namespace muster::verdict {
namespace {

using enum Ending;
using enum Where;

constexpr Rule kCertain[] = {
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
    // The scheduler that runs the program says why it was killed.
    {"memory.limit", Signal, kSigKill, Error,
     R"((?im)oom[-_]kill|OOM Killed|: Out Of Memory$|out of memory: killed process)"},
    {"memory.limit", Signal, kSigTerm, Error,
     R"(running beyond (?:physical|virtual) memory limits)"},
    // These signals come from outside: what the program said before has nothing to do with them.
    {"program.killed", Signal, kSigKill},
    {"program.terminated", Signal, kSigTerm},
    {"user.interrupt", Signal, kSigInt},
};

constexpr Rule kTelling[] = {
    {"user.framework_program", Code, 78, Output,
     R"((?m)^muster: framework: (the framework's program .*))"},
    // It belongs to the driver, not to the program's environment.
    {"gpu.driver", Any, 0, Error, R"(libcuda\.so(?:\.\d+)?: cannot open shared object file)"},
    {"user.library", Any, 0, Error,
     R"(error while loading shared libraries|cannot open shared object file|undefined symbol: )"},
    {"user.library", Any, 0, Error,
     R"(UnsupportedClassVersionError|[Uu]nsupported (?:class file )?major)"
     R"(|NoSuchMethodError|IncompatibleClassChangeError|UnsatisfiedLinkError)"
     R"(|size changed, may indicate binary|[Ll]oaded runtime CuDNN library)"},
    {"user.library", Any, 0, Error,
     R"(version .(?:GLIBC|GLIBCXX|CXXABI)_\d|binary incompatibility|VersionConflict: )"},
    {"user.library", Any, 0, Error,
     R"(compiled (?:against|using) (?:API|ABI|NumPy)|package '[^']+' could not be loaded)"
     R"(|[Cc]ompile with \w+=)"
     R"(|[Uu]nable to (?:dynamically )?load .{0,40}shared librar|lazy-load database)"},
    {"user.command_not_found", Any, 0, Error,
     R"(bad interpreter: No such file|executable file not found in)"
     R"(|[Aa] system-required executable|CreateProcess error=2\b|'conda init')"},
    {"user.command_not_found", Code, 127},
    {"user.not_executable", Code, 126},
    {"user.spawn_guard", Any, 0, Output,
     R"(before the\s+current process has finished its bootstrapping phase)"},

    {"memory.shm", Any, 0, Output,
     R"(insufficient shared memory|out of shared memory|No space left on device.{0,80}/dev/shm)"},
    {"memory.shm", Any, 0, Output,
     R"(unable to (?:write to|open|mmap|allocate) .{0,80}(?:/torch_|shm))"},
    {"memory.shm", Any, 0, Error, R"(out of shared memory|caused by insufficient shared memory)"},
    {"memory.gpu", Any, 0, Error,
     R"((?:CUDA|HIP) (?:error: )?out of memory|CUDA_ERROR_OUT_OF_MEMORY)"},
    {"memory.gpu", Any, 0, Error,
     R"((?i)OOM when allocating .*(?:device:|/)gpu|_STATUS_ALLOC_FAILED)"},
    {"memory.gpu", Any, 0, Error,
     R"(RESOURCE_EXHAUSTED: (?:Out of memory|Attempting to (?:reserve|allocate)))"
     R"(|device=TPU:\d+: RESOURCE_EXHAUSTED|Ran out of memory in memory space)"},
    {"memory.gpu", Any, 0, Output, R"(cuda\w+ failed: out of memory|Cuda failure '?out of memory)"},

    {"gpu.hardware", Any, 0, Output, R"(Xid \(PCI:[^)]*\): (?:48|63|64|74|79|94|95)\b)"},
    {"gpu.hardware", Any, 0, Output,
     R"(uncorrectable ECC error|fallen off the bus|GPU is lost)"
     R"(|Unable to determine the device handle for GPU)"},
    {"gpu.driver", Any, 0, Error,
     R"(CUDA driver version is insufficient|driver on your system is too old)"
     R"(|forward compatibility was attempted)"},
    {"gpu.driver", Any, 0, Error, R"(Driver/library version mismatch)"},
    {"gpu.driver", Any, 0, Error,
     R"(cudaErrorInsufficientDriver|NVIDIA driver on your system is too old)"
     R"(|couldn't communicate with the NVIDIA driver)"},
    {"gpu.busy", Any, 0, Error, R"(CUDA-capable devices? (?:is|are) busy or unavailable)"},
    {"gpu.none", Any, 0, Error,
     R"(no CUDA-capable device|Found no NVIDIA driver|No CUDA GPUs are available)"
     R"(|hipErrorNoDevice|could not select device driver)"},
    {"gpu.none", Any, 0, Error, R"(invalid device ordinal)"},
    {"gpu.architecture", Any, 0, Error,
     R"(no kernel image is available|invalid value for --gpu-architecture)"
     R"(|hipErrorNoBinaryForGpu)"},
    {"gpu.not_compiled", Any, 0, Error,
     R"(not compiled with CUDA|not linked with support for cuda)"},
    {"gpu.none", Any, 0, Error,
     R"(torch\.cuda\.is_available\(\) is False|CUDA is not available)"
     R"(|no GPU (?:found|available|detected))"},
    {"user.device_assert", Any, 0, Error,
     R"(device-side assert triggered|thread: \[\d+,\d+,\d+\] Assertion)"},
    {"gpu.illegal_access", Any, 0, Error,
     R"(illegal memory access was encountered|unspecified launch failure|IllegalAddress:)"},
    {"gpu.library", Any, 0, Error,
     R"((?:CUDNN|CUBLAS|CUSOLVER|CUSPARSE|CUFFT)_STATUS_[A-Z]|cuDNN (?:error|failed))"
     R"(|CUFFT_\w+ERROR|DNN library initialization failed|miopenStatus)"
     R"(|cudaMalloc failed|dnn != nullptr)"},
    {"user.device_mix", Any, 0, Error, R"(Expected all tensors to be on the same device)"},
    {"program.illegal", Any, 0, Error,
     R"(compiled to use \S+ instructions, but these aren't available)"},

    {"limit.locked_memory", Any, 0, Output,
     R"(ibv_\w+ failed with error Cannot allocate memory|RLIMIT_MEMLOCK)"},
    {"network.interface", Any, 0, Output,
     R"([Nn]o socket interface found|Unable to find (?:interface|address) for)"},
    {"port.in_use", Any, 0, Error,
     R"([Aa]ddress (?:already )?in use|EADDRINUSE|errno: 98\b|my_node_\.port)"},
    {"port.in_use", Any, 0, Error, R"(Could not start gRPC server|No address added out of total)"},
    {"user.credentials", Any, 0, Error,
     R"(\b40[13] Client Error|GatedRepoError|gated repo|\((?:401|403)\) when calling)"
     R"(|(?:HTTP|status)[ /a-zA-Z1.:]{1,20}40[13]\b|40[13] (?:Forbidden|Unauthorized))"
     R"(|"code": 40[13]\b|Forbidden access)"},
    {"user.credentials", Any, 0, Error,
     R"(ExpiredToken|AccessDenied(?:Exception)?\b|InvalidAccessKeyId)"
     R"(|SignatureDoesNotMatch|security token included in the request)"
     R"(|[Uu]nable to locate credentials|NoCredentialsError|DefaultCredentialsError)"
     R"(|Permission denied \(publickey|[Aa]uthentication (?:failed|required))"
     R"(|(?:[Ii]nvalid|[Ii]ncorrect|[Mm]issing) (?:API|api) ?key)"
     R"(|(?i)invalid (?:credentials|username or password|user ?token)|GSSException)"
     R"(|LoginException|not logged in|api_key not configured|GSS initiate failed)"
     R"(|Client cannot authenticate via)"},
    {"user.missing_file", Any, 0, Error,
     R"(\b404 Client Error|(?:Entry|Repository|Revision)NotFoundError|HTTP Error 4(?:04|10))"
     R"(|returned error 404|[Rr]esource '?[\w/.-]+'? not found)"
     R"(|is not a valid model identifier|NoSuch(?:Key|Bucket)\b)"
     R"(|Input path does not exist)"},
    {"network.resolve", Any, 0, Error,
     R"(NameResolutionError|[Ff]ailed to resolve '|UnknownHostException)"
     R"(|getaddrinfo failed|[Cc]ould not resolve host|Temporary failure in name)"
     R"(|nodename nor servname)"},
    {"network.resolve", Any, 0, Error,
     R"(NewConnectionError.*(?:Name or service not known|[Nn]ame resolution))"
     R"(|Errno -[235]\])"},
    {"network.download", Any, 0, Error,
     R"(\b(?:429|50[0234]) (?:Client|Server) Error|429 Too Many Requests)"
     R"(|HTTP Error (?:429|50\d)|HfHubHTTPError|[Ss]ervice (?:Temporarily )?Unavailable)"
     R"(|ReadTimeoutError|ChunkedEncodingError|IncompleteRead|CERTIFICATE_VERIFY_FAILED)"
     R"(|LocalEntryNotFoundError|\(Throttling(?:Exception)?\)|Rate exceeded)"},
    {"network.download", Any, 0, Error,
     R"(couldn't connect to 'https?:|Max retries exceeded with url)"},
    {"network.download", Any, 0, Error,
     R"(requests\.exceptions\.|urllib3?\.(?:error|exceptions)\.|URL fetch failure)"},

    {"collective.timeout", Any, 0, Output, R"(Watchdog caught collective operation timeout)"},
    {"collective.timeout", Any, 0, Error, R"(Timed out waiting \d+ms for (?:recv|send))"},
    {"collective.timeout", Any, 0, Error,
     R"(failed to pass monitoredBarrier|ranks was stalled and shut down)"},
    {"collective.usage", Any, 0, Error,
     R"(Duplicate GPU detected|ncclInvalidUsage|Detected mismatch between collectives)"
     R"(|op\.preamble\.length)"},
    // This comes before the loss that follows from it.
    {"memory.limit", Any, 0, Error,
     R"((?i)oom[-_]kill|OOM ?Killed|(?m:: Out Of Memory$))"
     R"(|(?:exceeding|running beyond) (?:the )?(?:physical |virtual )?memory limit)"
     R"(|beyond physical memory)"},
    {"peer.lost", Any, 0, Error,
     R"(ncclRemoteError|remote process exited or there was a network error)"
     R"(|(?s:nccl\w+Error.{0,200}Last error:.{0,100}(?:closed by|reset by) )"
     R"((?:remote )?peer))"},
    {"collective.system", Any, 0, Error,
     R"(nccl(?:System|Internal|UnhandledCuda)Error|unhandled (?:system|cuda) error)"
     R"(|Other MPI error|channel initialization failed)"
     R"(|[Rr]etry count exceeded|RETRY EXCEEDED ERROR)"},
    {"peer.lost", Any, 0, Error,
     R"(Connection (?:closed by|reset\b|was likely closed)|[Bb]roken pipe)"
     R"(|Failed to connect to GCS|[Ll]ost connection to)"},
    {"peer.lost", Any, 0, Error,
     R"(Collective ops is aborted|stopped sending heartbeats|another task died)"
     R"(|set to ERROR in coordination service)"},
    {"peer.lost", Any, 0, Error,
     R"(UnavailableError|HorovodInternalError|Socket closed|StatusCode\.UNAVAILABLE)"},
    {"program.child_lost", Any, 0, Error,
     R"((?:(?:Actor|Owner|Worker|Node)(?:Died|Crashed)|RayActor|TerminatedWorker)Error)"
     R"(|[Aa] worker died or was killed while)"
     R"(|worker process has died|Python worker exited unexpectedly)"},
    {"peer.lost", Any, 0, Error,
     R"(Horovod has been shut down|[Ee]xecutor heartbeat timed out|ExecutorLostFailure)"
     R"(|Lost executor|FetchFailedException)"},
    {"peer.lost", Any, 0, Error, R"(error information from remote target /job:)"},
    {"peer.lost", Any, 0, Output,
     R"(ORTE has lost communication with a remote daemon|ORTE daemon has unexpectedly failed)"},
    {"user.command_not_found", Any, 0, Output,
     R"(mpirun was unable to (?:launch|find) the specified (?:application|executable))"},
    {"program.child_lost", Any, 0, Error, R"(KilledWorker\b)"},
    {"rendezvous.timeout", Any, 0, Error,
     R"(waiting for clients|client socket has timed out|Socket Timeout)"},
    {"rendezvous.timeout", Any, 0, Error,
     R"(Timed out initializing process group)"
     R"(|Rendezvous(?:Timeout|Connection|Closed)Error|client socket has timed out)"},
    {"rendezvous.timeout", Any, 0, Error,
     R"(Barrier timed out|[Rr]endezvous ?(?:has timed out|Timeout))"},
    {"rendezvous.timeout", Any, 0, Error,
     R"([Ww]ait timeout after|[Tt]imed? ?out waiting for key)"},
    {"rendezvous.timeout", Any, 0, Error,
     R"(Gloo connectFullMesh failed|HTTP GET request failed too many times|HTTP request failed\.)"},
    {"peer.refused", Any, 0, Error, R"(Connection refused)"},
    {"user.world_size", Any, 0, Error,
     R"(environment variable (?:RANK|WORLD_SIZE|MASTER_ADDR|MASTER_PORT) expected)"
     R"(|KeyError: '(?:(?:LOCAL_)?RANK|(?:LOCAL_)?WORLD_SIZE|MASTER_(?:ADDR|PORT)|TF_CONFIG)')"
     R"(|find\("DMLC_[A-Z_]+"\))"},
    {"user.world_size", Any, 0, Error, R"(group's world size should be|`task_id` \d+ exceeds)"},
    {"network.resolve", Any, 0, Error,
     R"(Name or service not known|[Nn]ame resolution|No address associated with|gaierror)"},
    {"user.world_size", Any, 0, Error, R"(not enough slots available)"},
    {"network.unreachable", Any, 0, Error,
     R"(No route to host|Network is unreachable|Cannot assign requested address)"},
    {"network.timeout", Any, 0, Error,
     R"(Connection timed out|(?m:^(?:TimeoutError|socket\.timeout)))"
     R"(|SocketTimeoutException|[Rr]ead timed out)"},

    {"disk.full", Any, 0, Error, R"(No space left on device|PytorchStreamWriter failed writing)"},
    {"disk.quota", Any, 0, Error, R"([Dd]isk quota exceeded|[DN]SQuotaExceededException)"},
    {"disk.read_only", Any, 0, Error, R"(Read-only file system)"},
    {"disk.io", Any, 0, Error,
     R"(Input/output error|Stale (?:NFS )?file handle|disk I/O error|No locks available)"
     R"(|BlockMissingException)"},
    {"limit.files", Any, 0, Error, R"([Tt]oo many open files|received \d+ items of ancdata)"},
    {"limit.processes", Any, 0, Error,
     R"(can't start new thread|[Rr]esource temporarily unavailable|Cannot fork|native thread)"},
    {"limit.file_size", Any, 0, Error, R"(File too large)"},
    {"memory.host", Any, 0, Error, R"([Nn]ode (?:was )?running low on memory)"},
    {"memory.allocation", Any, 0, Error,
     R"(OutOfMemoryError: (?:Java heap|GC overhead|Metaspace|Direct buffer|Requested array))"
     R"(|cannot allocate vector of size|ResourceExhaustedError|Resource exhausted:)"},
    {"memory.allocation", Any, 0, Error,
     R"((?:\b|_Array)MemoryError\b|bad_alloc|bad_array_new_length)"
     R"(|not enough memory: you tried to allocate)"},
    {"memory.allocation", Any, 0, Error, R"([Cc]an(?:no|')t allocate memory|OOM when allocating)"},
    {"memory.allocation", Any, 0, Error, R"(Unable to allocate .{0,60} for an array)"},

    {"checkpoint.mismatch", Any, 0, Error, R"((?:unexpected|missing) key "?[^ ]+ in state_dict)"},
    {"checkpoint.mismatch", Any, 0, Error,
     R"(Error\(s\) in loading state_dict|size mismatch for \S+: copying)"},
    {"checkpoint.mismatch", Any, 0, Error,
     R"(Received incompatible tensor|not bound to checkpointed values)"
     R"(|loaded state dict (?:contains|has) )"},
    {"checkpoint.corrupt", Any, 0, Error,
     R"(PytorchStreamReader failed|invalid load key|Ran out of input)"},
    {"checkpoint.corrupt", Any, 0, Error,
     R"(DataLossError|too short to be an sstable|Checksum does not match)"},
    {"checkpoint.corrupt", Any, 0, Error,
     R"(file signature not found|truncated file|HeaderTooLarge)"
     R"(|Unable to load weights from)"},
    {"user.build", Any, 0, Error,
     R"(Error (?:compiling objects for|building) extension|ninja: build stopped)"
     R"(|Failed building wheel|CUDA_HOME environment variable is not set)"
     R"(|NVRTC Compilation failed|nvrtc: error|ptxas (?:fatal|error)|collect2: error)"
     R"(|error: command '[^']*(?:gcc|g\+\+|nvcc|cl)[^']*' failed)"
     R"(|metadata-generation-failed|Could not build wheels)"
     R"(|No matching distribution found|PTX codegen error|[Cc]ould not find (?:cmake|CMake))"},
    {"user.data", Any, 0, Error,
     R"(BadZipFile|zipfile corrupt|UnidentifiedImageError|cannot identify image file)"
     R"(|image file is truncated|BadGzipFile|[Nn]ot a gzipped? file|ArrowInvalid)"
     R"(|[Pp]arquet magic bytes|tarfile\.ReadError|Error tokenizing data|EmptyDataError)"
     R"(|Compressed file ended before)"
     R"(|yaml\.(?:scanner|parser|reader|constructor|composer)\.)"
     R"(|while scanning for the next token|JSONDecodeError|must have the same columns)"
     R"(|[Nn]ot in gzip format|invalid compressed data|stdin: unexpected end of file)"
     R"(|Unexpected EOF|end-of-file during read|runtime error.{0,80}: End of file)"
     R"(|Encountered parser error|label must be in \[)"
     R"(|does not look like a tar archive|expected value"?, line| at line \d+ column \d+)"
     R"(|error: \(-215)"},
    {"program.child_lost", Any, 0, Error, R"(BrokenProcessPool|DataLoader worker \(pid)"},
    {"program.child_lost", Any, 0, Final, R"((?m:^EOFError$))"},
    {"user.input", Any, 0, Final,
     R"(EOFError: EOF when reading a line|(?m:^(?:bdb\.)?BdbQuit\b)|NoConsoleScreenBufferError)"
     R"(|termios\.error: \(25, |the input device is not a TTY)"},

    {"user.import", Any, 0, Error,
     R"((?:there is no package called [^\w\s]*|cannot load such file -- |Cannot find module '?)"
     R"(|(?:ClassNotFoundException|NoClassDefFoundError): (?:Class )?)([\w@./$-]+))"},
    {"user.import", Any, 0, Error, R"(Can't locate ([\w/]+\.pm) in @INC)"},
    {"user.import", Any, 0, Error, R"(Package ([\w.]+) not found in current path)"},
    {"user.import", Any, 0, Error, R"(DistributionNotFound: The '([^']+)')"},
    {"user.import", Any, 0, Error,
     R"(metadata\.PackageNotFoundError: (?:No package metadata was found for )?([\w.-]+))"},
    {"user.import", Any, 0, Error, R"(No module named '?([\w.]+))"},
    {"user.import", Any, 0, Error, R"(ImportError: cannot import name ('\w+' from '[\w.]+'))"},
    {"user.import", Any, 0, Final, R"((?m:^ImportError\b)|Failed to import [\w.]+ because)"},
    {"user.data", Any, 0, Error, R"(DatasetGeneration(?:Cast)?Error|SchemaInferenceError)"},
    {"user.syntax", Any, 0, Final,
     R"((?m:^(?:SyntaxError|IndentationError|TabError)\b)|[Ss]yntax error(?::| near))"
     R"(|[Bb]ad substitution|unexpected EOF while looking|parse error near)"},
    {"user.ddp_unused", Any, 0, Error,
     R"(Expected to have finished reduction in the prior iteration)"},
    {"user.nan", Any, 0, Final,
     R"((?i)\b(?:loss|outputs?|gradients?|weights?)\b.{0,40}\b(?:nan|infinite|non-finite)\b)"
     R"(|\bFloatingPointError\b|training diverged)"},
    {"user.nan", Any, 0, Final,
     R"(returned nan values|Tensor had (?:NaN|Inf) values|NanLossDuringTraining)"},
    {"user.missing_file", Any, 0, Error,
     R"(FileNotFound(?:Error|Exception)|No such file or directory|can't open file)"
     R"(|empty file/url name)"},
    {"user.permission", Any, 0, Error,
     R"(PermissionError|Permission denied|Operation not permitted)"
     R"(|AccessControlException|is not writable)"},
    {"program.segfault", Any, 0, Error,
     R"(invalid memory address or nil pointer|caught segfault|(?m:^#\s+SIGSEGV \(0x))"},
    {"user.arguments", Code, 2, Final,
     R"((?m:^usage:|^[\w./-]+: error: )|unrecognized|invalid option|--help)"},
    {"user.arguments", Any, 0, Final,
     R"(Flags parsing error: |Could not override '|error: (?:unrecognized arguments|argument -))"
     R"(|error: the following arguments are required)"
     R"(|SystemExit: 2)"},
    {"user.assertion", Any, 0, Final, R"((?m:^AssertionError\b)|Assertion .{0,200} failed)"},
    {"user.traceback", Any, 0, Final,
     R"((?m:^(?:ValueError|TypeError|KeyError|IndexError|NameError|AttributeError)\b))"},
    {"user.traceback", Any, 0, Final,
     R"((?m:^(?:UnboundLocalError|ZeroDivisionError|RecursionError|NotImplementedError)\b))"},
    {"user.traceback", Any, 0, Final, R"((?m:^(?:Unicode\w*Error|LookupError|OverflowError)\b))"},
    {"user.traceback", Any, 0, Error,
     R"(does not require grad|modified by an inplace operation)"
     R"(|shapes cannot be multiplied|[Ii]ncompatible shapes|size-incompatible)"
     R"(|sizes? of tensors? (?:a|must)|InvalidArgumentError|INVALID_ARGUMENT)"
     R"(|shape '[^']*' is invalid for input|expected scalar type)"},
    {"user.traceback", Any, 0, Error,
     R"(AnalysisException|cannot resolve '|could not find function)"
     R"(|object '[^']*' not found|subscript out of bounds|is not subscriptable)"
     R"(|undefined columns selected|with no default)"},
    {"program.killed", Any, 0, Error,
     R"(exited on signal 9\b|signal 9 \(SIGKILL\)|Signal 9 \(|\(?exitcode *: -9\b)"
     R"(|killed by signal:? (?:9|Killed)|EXIT CODE: (?:9|137)\b)"},
    {"program.segfault", Any, 0, Error,
     R"(exited on signal 11\b|[Ss]ignal 11\b|\(?exitcode *: -11\b|killed by signal:? 11)"
     R"(|EXIT CODE: (?:11|139)\b|[Ss]egmentation fault)"},
    {"program.abort", Any, 0, Error,
     R"(exited on\s+signal 6\b|internal ABORT - process)"
     R"(|Signal 6 \(|\(?exitcode *: -6\b|killed by signal:? 6)"
     R"(|EXIT CODE: (?:6|134)\b)"},
    {"program.terminated", Any, 0, Error, R"(EXIT CODE: (?:15|143)\b)"},
    {"program.illegal", Any, 0, Error, R"(signal 4\b|\(?exitcode *: -4\b|EXIT CODE: (?:4|132)\b)"},
};

constexpr Rule kGeneral[] = {
    {"program.segfault", Signal, kSigSegv},
    {"program.abort", Signal, kSigAbrt},
    {"program.bus", Signal, kSigBus},
    {"program.illegal", Signal, kSigIll},
    {"program.arithmetic", Signal, kSigFpe},
    {"peer.lost", Signal, kSigPipe},
    {"program.signal", AnySignal},
    {"program.exception", Uncaught},
    {"user.exit", Any},
};

}  // namespace

RuleTable built_in_rules() { return {kCertain, kTelling, kGeneral}; }

}  // namespace muster::verdict
