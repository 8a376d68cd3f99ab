#include "base/check.h"
#include "muster/control/v1/agent.pb.h"
#include "muster/control/v1/stream.pb.h"
#include "wire/control_codec.h"
#include "wire/event_codec.h"
#include "wire/field_codec.h"
#include "wire/frame.h"
#include "wire/stream_codec.h"

namespace muster::wire {
namespace {

/// A report of many attempts, or a piece of output.
constexpr size_t kAgentFrameBytesMax = 8U << 20;

struct PutAgentFrame {
  control::v1::AgentFrame& frame;

  void operator()(const AgentHello& value) const {
    control::v1::AgentHello& message = *frame.mutable_hello();
    put(value.report, *message.mutable_report());
    message.set_host_name(put_name(value.host_name));
    message.set_pid(value.pid);
    message.set_version(put_name(value.version));
    message.set_fresh(value.fresh);
  }
  void operator()(const Beat& value) const {
    control::v1::Beat& message = *frame.mutable_beat();
    message.set_sequence(value.sequence);
    for (const Sample& sample : value.samples) {
      control::v1::Sample* wire = message.add_samples();
      put(sample.attempt, *wire->mutable_attempt());
      wire->set_memory_bytes(sample.memory_bytes);
      wire->set_cpu_us(sample.cpu.count());
    }
  }
  void operator()(const Report& value) const {
    put(value.report, *frame.mutable_report()->mutable_report());
  }
  void operator()(const AgentFact& value) const {
    MUSTER_CHECK(is_agent_fact(value.fact), "agents report only their own attempts");
    put(value.fact, *frame.mutable_fact()->mutable_fact());
  }
  void operator()(const CommitAsked& value) const {
    control::v1::CommitAsked& message = *frame.mutable_commit_asked();
    put(value.attempt, *message.mutable_attempt());
    message.set_generation(value.generation.value);
    message.set_name(put_name(value.name));
  }
  void operator()(const Output& value) const { put(value, *frame.mutable_output()); }
  void operator()(const StreamFrame& value) const { put(value, *frame.mutable_stream()); }
};

Result<AgentFrame> get_hello(const control::v1::AgentHello& message) {
  AgentHello hello;
  MUSTER_TRY_STATUS(required(message.has_report(), get(message.report(), hello.report), "report"));
  MUSTER_TRY_STATUS(get_name(message.host_name(), hello.host_name, "host name"));
  hello.pid = message.pid();
  MUSTER_TRY_STATUS(get_name(message.version(), hello.version, "version"));
  hello.fresh = message.fresh();
  return hello;
}

Result<AgentFrame> get_beat(const control::v1::Beat& message) {
  Beat beat;
  beat.sequence = message.sequence();
  beat.samples.reserve(static_cast<size_t>(message.samples_size()));
  for (const control::v1::Sample& wire : message.samples()) {
    Sample& sample = beat.samples.emplace_back();
    MUSTER_TRY_STATUS(required(wire.has_attempt(), get(wire.attempt(), sample.attempt), "attempt"));
    sample.memory_bytes = wire.memory_bytes();
    sample.cpu = Duration(wire.cpu_us());
  }
  return beat;
}

Result<AgentFrame> get_report(const control::v1::Report& message) {
  Report report;
  MUSTER_TRY_STATUS(required(message.has_report(), get(message.report(), report.report), "report"));
  return report;
}

Result<AgentFrame> get_fact(const control::v1::AgentFact& message) {
  AgentFact fact;
  MUSTER_TRY_STATUS(required(message.has_fact(), get(message.fact(), fact.fact), "fact"));
  if (!is_agent_fact(fact.fact)) {
    return corrupt("an agent reported something it may not report: " +
                   std::string(job::name_of(fact.fact)));
  }
  return fact;
}

Result<AgentFrame> get_commit(const control::v1::CommitAsked& message) {
  CommitAsked commit;
  MUSTER_TRY_STATUS(
      required(message.has_attempt(), get(message.attempt(), commit.attempt), "attempt"));
  commit.generation = job::Generation(message.generation());
  MUSTER_TRY_STATUS(get_exact(message.name(), commit.name, "checkpoint name"));
  return commit;
}

Result<AgentFrame> get_output(const control::v1::Output& message) {
  Output output;
  MUSTER_TRY_STATUS(get(message, output));
  return output;
}

Result<AgentFrame> get_stream_of_agent(const control::v1::StreamFrame& message) {
  StreamFrame frame;
  MUSTER_TRY_STATUS(get(message, frame));
  return frame;
}

}  // namespace

bool is_agent_fact(const job::Fact& fact) {
  return std::holds_alternative<job::AttemptJoined>(fact) ||
         std::holds_alternative<job::AttemptStarted>(fact) ||
         std::holds_alternative<job::AttemptEnded>(fact) ||
         std::holds_alternative<job::AttemptStalled>(fact) ||
         std::holds_alternative<job::EndpointPublished>(fact);
}

std::string encode(const AgentFrame& frame) {
  control::v1::AgentFrame message;
  std::visit(PutAgentFrame{message}, frame);
  return message.SerializeAsString();
}

Result<AgentFrame> decode_agent_frame(std::string_view bytes) {
  MUSTER_TRY(const control::v1::AgentFrame message,
             parse<control::v1::AgentFrame>(bytes, kAgentFrameBytesMax, "agent frame"));
  switch (message.kind_case()) {
    case control::v1::AgentFrame::kHello:
      return get_hello(message.hello());
    case control::v1::AgentFrame::kBeat:
      return get_beat(message.beat());
    case control::v1::AgentFrame::kReport:
      return get_report(message.report());
    case control::v1::AgentFrame::kFact:
      return get_fact(message.fact());
    case control::v1::AgentFrame::kCommitAsked:
      return get_commit(message.commit_asked());
    case control::v1::AgentFrame::kOutput:
      return get_output(message.output());
    case control::v1::AgentFrame::kStream:
      return get_stream_of_agent(message.stream());
    case control::v1::AgentFrame::KIND_NOT_SET:
      break;
  }
  return corrupt("unknown kind of agent frame");
}

}  // namespace muster::wire
