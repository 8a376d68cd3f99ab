#pragma once

#include "base/result.h"
#include "base/time.h"
#include "job/action.h"
#include "job/fact.h"
#include "job/ids.h"
#include "job/outcome.h"
#include "job/view.h"
#include "metrics/series.h"
#include "wire/stream.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

/// The frames of the control channel as plain values, and their codec to protobuf
/// (proto/muster/control/v1). Every frame may be repeated after a reconnect; receivers treat
/// repeats as harmless.
namespace muster::wire {

// ---- agent → master ----

/// The first frame of an agent, on connections that it dials and as its answer to a master's;
/// doubles as its full report.
struct AgentHello {
  job::AgentReported report;
  std::string host_name;  ///< For people; the cluster's host name is the master's to know.
  int32_t pid = 0;
  std::string version;  ///< kVersion of the binary: master and agents are always the same.
  bool fresh = false;   ///< True in the first hello of an agent's life.
  bool operator==(const AgentHello&) const = default;
};

/// How long an attempt has not done something.
struct Pause {
  Duration now{};
  Duration longest{};  ///< The longest pause after which it went on.
  bool operator==(const Pause&) const = default;
};

/// How long an attempt has shown no progress, however busy it is: no value reported (or, if it
/// never reported any, no output), no file traffic, no newly touched memory.
struct Fruitless {
  Pause pause;
  bool knows_past = false;  ///< It has gone on often enough for `longest` to mean something.
  bool reports = false;     ///< It has reported values.
  bool got_on = false;      ///< It has reported values, or printed several lines.
  bool operator==(const Fruitless&) const = default;
};

/// What was measured at one moment for one attempt, or for the agent's host.
struct Samples {
  std::optional<job::AttemptId> attempt;  ///< nullopt: the host.
  Duration age{};  ///< From that moment to the sending, so that no clocks are compared.
  std::vector<metrics::Reading> readings;
  std::vector<metrics::NamedReading> named;
  // Of an attempt that runs:
  std::optional<Pause> quiet = std::nullopt;  ///< Nothing it does can be seen from outside.
  std::optional<Fruitless> fruitless = std::nullopt;
  bool operator==(const Samples&) const = default;
};

/// Sent every LivenessPlan::beat, with what was measured since the last.
struct Beat {
  uint64_t sequence = 0;
  std::vector<Samples> samples;
  bool operator==(const Beat&) const = default;
};

/// The answer to ReportAsked.
struct Report {
  job::AgentReported report;
  bool operator==(const Report&) const = default;
};

/// A fact the agent saw: AttemptJoined, AttemptStarted, AttemptEnded or EndpointPublished. An
/// attempt that could not be prepared or started (missing file, full disk) is an AttemptEnded with
/// its class. Anything else from an agent is refused and logged.
struct AgentFact {
  job::Fact fact;
  bool operator==(const AgentFact&) const = default;
};

/// An attempt wants to commit checkpoint `name` of `generation`; answered by CommitAnswered.
struct CommitAsked {
  job::AttemptId attempt;
  job::Generation generation;
  std::string name;
  bool operator==(const CommitAsked&) const = default;
};

enum class OutputStream : uint8_t { Stdout, Stderr };

/// A piece of a task's output for followers. `offset` counts bytes of that stream of that attempt
/// from 0; a gap means that the byte budget was spent and `dropped` bytes are only in the file.
/// `at_line_start`: the sender knows that `bytes` begins a line. A reader that shows whole lines
/// skips to the first newline of a piece that follows a gap without it. `again`: the last lines of
/// the stream, for a new follower; others may have had them.
struct Output {
  job::AttemptId attempt;
  OutputStream stream = OutputStream::Stdout;
  uint64_t offset = 0;
  uint64_t dropped = 0;
  std::string bytes;
  bool at_line_start = false;
  bool again = false;
  bool operator==(const Output&) const = default;
};

using AgentFrame =
    std::variant<AgentHello, Beat, Report, AgentFact, CommitAsked, Output, StreamFrame>;

// ---- master → agent ----

/// The master's answer to AgentHello, and its first frame when it dials. An agent ignores a master
/// whose epoch is below the highest it has seen and closes.
struct MasterWelcome {
  job::Epoch epoch;
  std::string job_id;
  uint64_t seed = 0;
  std::string plan_json;  ///< The resolved Spec (spec::to_json); empty if the agent has it.
  /// Values of secret env entries by the entry's key path.
  std::map<std::string, std::string> secrets;
  std::string master_address;  ///< Where to dial again.
  std::string client_python;   ///< The submitter's own python3, for hints; "" if unknown.
  bool operator==(const MasterWelcome&) const = default;
};

/// The view of one generation; sent to all ready agents when it is formed, before any StartAttempt
/// of it.
struct ViewPushed {
  job::View view;
  bool operator==(const ViewPushed&) const = default;
};

/// An action for this agent: PrepareAttempt, StartAttempt or StopAttempt.
struct AgentOrder {
  job::Action action;
  bool operator==(const AgentOrder&) const = default;
};

struct ReportAsked {
  bool operator==(const ReportAsked&) const = default;
};

/// The answer to CommitAsked. Refused: `refusal` says why (an old generation).
struct CommitAnswered {
  job::AttemptId attempt;
  job::Generation generation;
  std::string name;
  std::string refusal;  ///< Empty: granted.
  bool operator==(const CommitAnswered&) const = default;
};

/// Somebody follows (or no longer follows) output. `tail_lines`: how many last lines to send first.
/// `again`: sent even if it was on already, because of a new follower; what tasks write meanwhile
/// is still sent.
struct FollowOutput {
  bool on = false;
  uint32_t tail_lines = 0;
  bool again = false;
  bool operator==(const FollowOutput&) const = default;
};

/// The job has ended or this container is released: end every attempt, then yourself.
struct AgentDismissed {
  std::string reason;
  bool operator==(const AgentDismissed&) const = default;
};

using MasterFrame = std::variant<MasterWelcome, ViewPushed, AgentOrder, ReportAsked, CommitAnswered,
                                 FollowOutput, AgentDismissed, StreamFrame>;

// ---- client ⇄ master ----

/// The first frame of a client.
struct ClientHello {
  std::string version;
  std::string who;            ///< "alice from pts/3", for StopAsked and the log.
  bool follow_facts = false;  ///< All facts from `from_index` on, then as they come.
  uint64_t from_index = 0;
  bool follow_output = false;
  bool operator==(const ClientHello&) const = default;
};

/// Owners only.
struct StopJob {
  std::string by;
  job::StopHow how = job::StopHow::Terminate;
  bool operator==(const StopJob&) const = default;
};

struct StatusAsked {
  bool operator==(const StatusAsked&) const = default;
};

/// The samples of a step (1, 10 or 60 s) that end after a time (seconds since 1970), as far as the
/// master keeps them; answered by MetricsAnswered.
struct MetricsAsked {
  uint32_t step_s = 1;
  int64_t from_s = 0;
  bool operator==(const MetricsAsked&) const = default;
};

/// From now on (or no longer) send MetricsPushed each second; the first at once.
struct FollowMetrics {
  bool on = false;
  bool operator==(const FollowMetrics&) const = default;
};

/// Streams are for owners only; viewers get a StreamReset.
using ClientFrame =
    std::variant<ClientHello, StopJob, StatusAsked, StreamFrame, MetricsAsked, FollowMetrics>;

struct ClientWelcome {
  std::string job_id;
  job::Epoch epoch;
  std::string plan_json;
  uint64_t seed = 0;
  bool operator==(const ClientWelcome&) const = default;
};

/// One logged fact. Folding them through job::Machine gives the client the master's own state.
struct FactLogged {
  uint64_t index = 0;
  Time at{};
  WallTime wall{};
  job::Fact fact;
  bool operator==(const FactLogged&) const = default;
};

/// The status document, schema muster.status/1 (eventlog/status.h).
struct StatusAnswered {
  std::string json;
  bool operator==(const StatusAnswered&) const = default;
};

/// The job has ended and everything is written. The last frame.
struct JobEnded {
  job::Outcome outcome;
  bool operator==(const JobEnded&) const = default;
};

/// Why a request was not fulfilled ("viewers may not stop a job").
struct Refused {
  std::string reason;
  bool operator==(const Refused&) const = default;
};

/// Encoded blocks (metrics/block.h), oldest first: a reader trusts none of their bytes.
struct MetricsAnswered {
  int64_t now_s = 0;  ///< The master's time, in seconds since 1970.
  std::vector<std::string> blocks;
  bool operator==(const MetricsAnswered&) const = default;
};

/// The last value of every series that had one within seconds: an encoded block of one time.
struct MetricsPushed {
  std::string block;
  bool operator==(const MetricsPushed&) const = default;
};

using ClientEvent = std::variant<ClientWelcome, FactLogged, Output, StatusAnswered, JobEnded,
                                 Refused, StreamFrame, MetricsAnswered, MetricsPushed>;

/// Agents send their frames only with facts that pass is_agent_fact, masters orders only with
/// actions on attempts (checked). Texts over the codec's bounds (4 KiB for names, 64 KiB for
/// reasons and evidence) are cut.
[[nodiscard]] std::string encode(const AgentFrame& frame);
[[nodiscard]] std::string encode(const MasterFrame& frame);
[[nodiscard]] std::string encode(const ClientFrame& frame);
[[nodiscard]] std::string encode(const ClientEvent& event);

/// The same in two pieces, for frames that may carry a stream's data.
[[nodiscard]] FrameParts encode_parts(AgentFrame frame);
[[nodiscard]] FrameParts encode_parts(MasterFrame frame);
[[nodiscard]] FrameParts encode_parts(ClientFrame frame);
[[nodiscard]] FrameParts encode_parts(ClientEvent event);

/// Decoders accept any bytes: damaged, oversized or unknown ones give an error of code Corrupt,
/// never a crash.
[[nodiscard]] Result<AgentFrame> decode_agent_frame(std::string_view bytes);
[[nodiscard]] Result<MasterFrame> decode_master_frame(std::string_view bytes);
[[nodiscard]] Result<ClientFrame> decode_client_frame(std::string_view bytes);
[[nodiscard]] Result<ClientEvent> decode_client_event(std::string_view bytes);

/// Returns whether an agent may send `fact` in an AgentFact: the four named there.
[[nodiscard]] bool is_agent_fact(const job::Fact& fact);

/// Facts alone, for the event log (proto/muster/event/v1).
[[nodiscard]] std::string encode_fact(const job::Fact& fact);
[[nodiscard]] Result<job::Fact> decode_fact(std::string_view bytes);

}  // namespace muster::wire
