#include "base/check.h"
#include "muster/control/v1/agent.pb.h"
#include "muster/control/v1/stream.pb.h"
#include "wire/control_codec.h"
#include "wire/data_frame.h"
#include "wire/event_codec.h"
#include "wire/field_codec.h"
#include "wire/frame.h"
#include "wire/stream_codec.h"

namespace muster::wire {
namespace {

/// For a report of many attempts, or a piece of output.
constexpr size_t kAgentFrameBytesMax = 8U << 20;

/// For one moment of one attempt.
constexpr int kReadingsMax = 64;
constexpr int kNamedReadingsMax = 1024;
/// For one beat: all attempts of an agent, some seconds of each.
constexpr int kSamplesMax = 4096;

void put_samples(const Samples& samples, control::v1::Samples& message) {
  if (samples.attempt) {
    put(*samples.attempt, *message.mutable_attempt());
  }
  message.set_age_us(samples.age.count());
  for (const metrics::Reading& reading : samples.readings) {
    message.add_metrics(static_cast<uint32_t>(reading.metric));
    message.add_values(reading.value);
  }
  for (const metrics::NamedReading& reading : samples.named) {
    control::v1::NamedReading& named = *message.add_named();
    named.set_name(reading.metric.name);
    named.set_unit(reading.metric.unit);
    named.set_counter(reading.metric.kind == metrics::Kind::Counter);
    named.set_value(reading.value);
  }
  if (samples.quiet) {
    message.mutable_quiet()->set_now_us(samples.quiet->now.count());
    message.mutable_quiet()->set_longest_us(samples.quiet->longest.count());
  }
  if (samples.fruitless) {
    control::v1::Fruitless& fruitless = *message.mutable_fruitless();
    fruitless.set_now_us(samples.fruitless->pause.now.count());
    fruitless.set_longest_us(samples.fruitless->pause.longest.count());
    fruitless.set_knows_past(samples.fruitless->knows_past);
    fruitless.set_got_on(samples.fruitless->got_on);
    fruitless.set_reports(samples.fruitless->reports);
  }
}

Status get_samples(const control::v1::Samples& message, Samples& samples) {
  if (message.metrics_size() != message.values_size() || message.metrics_size() > kReadingsMax ||
      message.named_size() > kNamedReadingsMax) {
    return corrupt("a sample has too many values, or too few");
  }
  if (message.has_attempt()) {
    MUSTER_TRY_STATUS(get(message.attempt(), samples.attempt.emplace()));
  }
  samples.age = Duration(message.age_us());
  for (int i = 0; i < message.metrics_size(); ++i) {
    if (message.metrics(i) >= metrics::builtins().size()) {
      return corrupt("a sample is of an unknown metric");
    }
    samples.readings.push_back(
        {.metric = static_cast<metrics::Builtin>(message.metrics(i)), .value = message.values(i)});
  }
  for (const control::v1::NamedReading& named : message.named()) {
    metrics::NamedReading& reading = samples.named.emplace_back();
    reading.metric = {.name = named.name(),
                      .unit = named.unit(),
                      .kind = named.counter() ? metrics::Kind::Counter : metrics::Kind::Gauge};
    reading.value = named.value();
    if (const Status good = metrics::check_metric(reading.metric); !good) {
      return corrupt(good.error().message);
    }
  }
  if (message.has_quiet()) {
    samples.quiet = {.now = Duration(message.quiet().now_us()),
                     .longest = Duration(message.quiet().longest_us())};
  }
  if (message.has_fruitless()) {
    samples.fruitless = {.pause = {.now = Duration(message.fruitless().now_us()),
                                   .longest = Duration(message.fruitless().longest_us())},
                         .knows_past = message.fruitless().knows_past(),
                         .reports = message.fruitless().reports(),
                         .got_on = message.fruitless().got_on()};
  }
  return {};
}

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
    for (const Samples& samples : value.samples) {
      put_samples(samples, *message.add_samples());
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
  if (message.samples_size() > kSamplesMax) {
    return corrupt("a beat has too many samples");
  }
  beat.samples.reserve(static_cast<size_t>(message.samples_size()));
  for (const control::v1::Samples& wire : message.samples()) {
    MUSTER_TRY_STATUS(get_samples(wire, beat.samples.emplace_back()));
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
         std::holds_alternative<job::EndpointPublished>(fact);
}

std::string encode(const AgentFrame& frame) {
  if (auto data = encode_data_frame(frame, control::v1::AgentFrame::kStreamFieldNumber)) {
    return *std::move(data);
  }
  control::v1::AgentFrame message;
  std::visit(PutAgentFrame{message}, frame);
  return message.SerializeAsString();
}

FrameParts encode_parts(AgentFrame frame) {
  return parts_of(std::move(frame), control::v1::AgentFrame::kStreamFieldNumber);
}

Result<AgentFrame> decode_agent_frame(std::string_view bytes) {
  if (auto data = decode_data_frame(bytes, control::v1::AgentFrame::kStreamFieldNumber)) {
    return AgentFrame(*std::move(data));
  }
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
