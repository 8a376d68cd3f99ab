#pragma once

#include "base/result.h"
#include "base/time.h"
#include "job/ids.h"
#include "wire/frame_parts.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

/// Byte streams on the control channel: an owner's client opens one, the master relays it to the
/// agent of the task's container. Both ends keep to the credit they were given (StreamLedger).
namespace muster::wire {

/// How much data may be under way in one direction of one stream, unless its receiver says that it
/// accepts more. A stream carries at most that many bytes per round trip.
inline constexpr size_t kStreamWindow = 256U << 10;
/// The largest window that a stream may have.
inline constexpr size_t kStreamWindowMax = 1U << 20;
/// How many streams of one peer may have more than kStreamWindow.
inline constexpr size_t kWideStreamsMax = 4;
/// The most that one StreamData carries.
inline constexpr size_t kStreamDataMax = 64U << 10;
/// How many streams one client, or one agent, may have at a time.
inline constexpr size_t kStreamsMax = 52;
/// How much all of them may have under way, each way.
inline constexpr size_t kPeerWindowsMax = 16U << 20;
static_assert(kWideStreamsMax * kStreamWindowMax +
                  (kStreamsMax - kWideStreamsMax) * kStreamWindow <=
              kPeerWindowsMax);
/// The length of a direct stream's ticket: 128 random bits.
inline constexpr size_t kTicketDigits = 32;
/// The maximum size of what switches a terminal to the modes of a shell.
inline constexpr size_t kTerminalModesMax = 1024;
/// The maximum total size of a command's arguments.
inline constexpr size_t kArgumentsBytesMax = 64U << 10;

struct TerminalSize {
  uint16_t rows = 24;
  uint16_t columns = 80;
  bool operator==(const TerminalSize&) const = default;
};

/// The terminal that a command is given.
struct Terminal {
  std::string name;  ///< TERM
  TerminalSize size;
  bool operator==(const Terminal&) const = default;
};

/// Run a command beside the attempt. The data are ExecInput and ExecOutput messages, each whole.
struct ExecRequest {
  std::vector<std::string> arguments;  ///< The program first.
  std::optional<Terminal> terminal;    ///< None: three pipes.
  bool keeps = false;                  ///< It outlives its stream: a shell. Only with a terminal.
  bool operator==(const ExecRequest&) const = default;
};

/// Take over a shell of the attempt: one that has outlived its stream, or that another stream has,
/// which ends. The data are those of an ExecRequest.
struct JoinRequest {
  uint32_t shell = 0;                ///< 0: the only one that nobody has joined.
  std::optional<uint64_t> position;  ///< How much of its output was seen; none: a new client.
  TerminalSize size;
  uint32_t typist = 0;  ///< As StreamOpened gave it to this client; 0: it has none.
  bool operator==(const JoinRequest&) const = default;
};

/// List the shells of the attempt. The data are one ShellList.
struct ShellsRequest {
  bool operator==(const ShellsRequest&) const = default;
};

/// Connect to a port on the host of the attempt. The data are the connection's bytes, and each
/// direction closes on its own.
struct TcpRequest {
  uint16_t port = 0;  ///< Not 0.
  std::string host;   ///< Not empty: the attempt is any that runs on this host of the job.
  bool operator==(const TcpRequest&) const = default;
};

using StreamRequest = std::variant<ExecRequest, TcpRequest, JoinRequest, ShellsRequest>;

/// From the opener, with an id larger than all before on its connection.
struct StreamOpen {
  job::AttemptId attempt;  ///< Number 0: the one that runs. Another counts for a JoinRequest only.
  Duration wait{};         ///< How long to wait for it to run.
  StreamRequest request;
  bool direct = false;      ///< From a client: it would rather dial the agent itself.
  std::string ticket = {};  ///< To an agent: the client comes itself, and shows this.
  /// How much the opener accepts before it gives credit: kStreamWindow to kStreamWindowMax.
  size_t window = kStreamWindow;
  bool operator==(const StreamOpen&) const = default;
};

/// The task is not running now, and is waited for.
struct StreamWaits {
  std::string reason;
  bool operator==(const StreamWaits&) const = default;
};

/// The client may dial the agent itself for this stream, as the Peer "stream:CONTAINER:TICKET". The
/// master's own port leads there, too, for a client that connects as that Peer, once.
struct StreamOffer {
  std::string address;  ///< The agent's: "host:port".
  job::ContainerId container;
  std::string ticket;
  std::array<uint8_t, 32> key{};  ///< Minted for this ticket.
  bool operator==(const StreamOffer&) const = default;
};

/// The client cannot reach the agent: the stream must be relayed.
struct StreamDeclined {
  bool operator==(const StreamDeclined&) const = default;
};

/// From the agent: the client has connected directly, and its master is done with the stream.
struct StreamTaken {
  bool operator==(const StreamTaken&) const = default;
};

/// From now on data may be sent, each way as much as its receiver's window.
struct StreamOpened {
  // Of a shell; else all are 0.
  uint32_t shell = 0;     ///< Its number, from 1, among those of its container.
  uint32_t attempt = 0;   ///< Number of the attempt that it is in.
  uint64_t position = 0;  ///< How much of its output precedes the next byte.
  uint64_t lost = 0;      ///< How much before that, unseen by this client, is gone.
  /// Switches a terminal to the modes that its programs expect, before all output. Not empty only
  /// if this client has not seen them switched on; at most kTerminalModesMax.
  std::string modes = {};
  /// How much the agent accepts before it gives credit: kStreamWindow to kStreamWindowMax.
  size_t window = kStreamWindow;
  /// For a shell: who types into it from now on. The same as in a JoinRequest if nobody else has
  /// had the shell since. 0: the agent does not count what is typed.
  uint32_t typist = 0;
  /// How many bytes that they typed, over this stream and earlier ones, the agent has received.
  /// What they sent beyond that is lost and must be sent again.
  uint64_t typed = 0;
  bool operator==(const StreamOpened&) const = default;
};

struct StreamData {
  std::string bytes;
  bool operator==(const StreamData&) const = default;
};

/// That many bytes of data have been processed: as many more may be sent.
struct StreamCredit {
  uint64_t bytes = 0;
  bool operator==(const StreamCredit&) const = default;
};

/// No more data follows from this end; the other direction continues.
struct StreamClosed {
  bool operator==(const StreamClosed&) const = default;
};

enum class StreamFault : uint8_t {
  Cancelled,   ///< One end wants no more of it.
  Refused,     ///< Not allowed, or not possible.
  NotRunning,  ///< The task has ended, and will not run again.
  Deadline,    ///< The task did not run in time.
  Lost,        ///< A connection, the container or the attempt went away.
  Protocol,    ///< One end broke the protocol.
};

/// The stream is over, both ways; what was under way is dropped.
struct StreamReset {
  StreamFault fault = StreamFault::Cancelled;
  std::string reason;
  bool operator==(const StreamReset&) const = default;
};

struct StreamFrame {
  using Kind = std::variant<StreamOpen, StreamWaits, StreamOpened, StreamData, StreamCredit,
                            StreamClosed, StreamReset, StreamOffer, StreamDeclined, StreamTaken>;
  uint64_t id = 0;
  Kind kind;
  bool operator==(const StreamFrame&) const = default;
};

/// Encodes a frame alone, as on a direct stream's connection.
[[nodiscard]] std::string encode_stream_frame(const StreamFrame& frame);
[[nodiscard]] FrameParts encode_stream_parts(StreamFrame frame);
/// Corrupt for bytes that are not such a frame.
[[nodiscard]] Result<StreamFrame> decode_stream_frame(std::string_view bytes);

// What flows in the stream of an ExecRequest.

/// For the command's standard input, or its terminal.
struct ExecBytes {
  std::string bytes;
  bool operator==(const ExecBytes&) const = default;
};
struct ExecInputEnded {
  bool operator==(const ExecInputEnded&) const = default;
};
/// For the command's process group.
struct ExecSignal {
  int32_t signal = 0;
  bool operator==(const ExecSignal&) const = default;
};
using ExecInput = std::variant<ExecBytes, ExecInputEnded, TerminalSize, ExecSignal>;

struct ExecOutputBytes {
  bool is_err = false;  ///< Never with a terminal.
  std::string bytes;
  bool operator==(const ExecOutputBytes&) const = default;
};
/// The last message. `status` is as a shell reports it: 128 + N for signal N, 126 or 127 for a
/// command that could not be run, with the reason.
struct ExecExited {
  int32_t status = 0;
  std::string reason;
  bool operator==(const ExecExited&) const = default;
};
using ExecOutput = std::variant<ExecOutputBytes, ExecExited>;

// What flows in the stream of a ShellsRequest.

/// How many shells one agent keeps.
inline constexpr size_t kShellsMax = 8;

struct Shell {
  uint32_t number = 0;
  int32_t pid = 0;
  Duration age{};                 ///< Since it began.
  std::optional<Duration> alone;  ///< Since nobody has joined it; none: somebody has.
  bool ended = false;             ///< It has ended, and nobody has seen how.
  bool operator==(const Shell&) const = default;
};
struct ShellList {
  std::vector<Shell> shells;  ///< By their numbers.
  bool operator==(const ShellList&) const = default;
};

/// The maximum overhead of a data message beyond its bytes.
inline constexpr size_t kExecOverheadMax = 16;

[[nodiscard]] std::string encode(const ExecInput& message);
[[nodiscard]] std::string encode(const ExecOutput& message);
/// Corrupt for bytes that are not such a message.
[[nodiscard]] Result<ExecInput> decode_exec_input(std::string_view bytes);
[[nodiscard]] Result<ExecOutput> decode_exec_output(std::string_view bytes);
[[nodiscard]] std::string encode(const ShellList& list);
[[nodiscard]] Result<ShellList> decode_shell_list(std::string_view bytes);

}  // namespace muster::wire
