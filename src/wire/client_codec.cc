#include "muster/control/v1/client.pb.h"
#include "muster/control/v1/stream.pb.h"
#include "wire/control_codec.h"
#include "wire/data_frame.h"
#include "wire/event_codec.h"
#include "wire/field_codec.h"
#include "wire/frame.h"
#include "wire/stream_codec.h"

namespace muster::wire {
namespace {

/// A client sends little: the names in its hello, a piece of a stream.
constexpr size_t kClientFrameBytesMax = kStreamFrameBytesMax;

struct PutClientFrame {
  control::v1::ClientFrame& frame;

  void operator()(const ClientHello& value) const {
    control::v1::ClientHello& message = *frame.mutable_hello();
    message.set_version(put_name(value.version));
    message.set_who(put_name(value.who));
    message.set_follow_facts(value.follow_facts);
    message.set_from_index(value.from_index);
    message.set_follow_output(value.follow_output);
  }
  void operator()(const StopJob& value) const {
    frame.mutable_stop()->set_by(put_name(value.by));
    frame.mutable_stop()->set_interrupt(value.how == job::StopHow::Interrupt);
  }
  void operator()(const StatusAsked&) const { frame.mutable_status_asked(); }
  void operator()(const StreamFrame& value) const { put(value, *frame.mutable_stream()); }
  void operator()(const MetricsAsked& value) const {
    frame.mutable_metrics_asked()->set_step_s(value.step_s);
    frame.mutable_metrics_asked()->set_from_s(value.from_s);
  }
  void operator()(const FollowMetrics& value) const {
    frame.mutable_follow_metrics()->set_on(value.on);
  }
};

struct PutClientEvent {
  control::v1::ClientEvent& event;

  void operator()(const ClientWelcome& value) const {
    control::v1::ClientWelcome& message = *event.mutable_welcome();
    message.set_job_id(put_name(value.job_id));
    message.set_epoch(value.epoch.value);
    message.set_plan_json(value.plan_json);
    message.set_seed(value.seed);
  }
  void operator()(const FactLogged& value) const {
    control::v1::FactLogged& message = *event.mutable_fact();
    message.set_index(value.index);
    message.set_at_us(value.at.time_since_epoch().count());
    message.set_wall_us(value.wall.time_since_epoch().count());
    put(value.fact, *message.mutable_fact());
  }
  void operator()(const Output& value) const { put(value, *event.mutable_output()); }
  void operator()(const StatusAnswered& value) const {
    event.mutable_status()->set_json(value.json);
  }
  void operator()(const JobEnded& value) const {
    put(value.outcome, *event.mutable_ended()->mutable_outcome());
  }
  void operator()(const Refused& value) const {
    event.mutable_refused()->set_reason(put_text(value.reason));
  }
  void operator()(const StreamFrame& value) const { put(value, *event.mutable_stream()); }
  void operator()(const MetricsAnswered& value) const {
    control::v1::MetricsAnswered& message = *event.mutable_metrics();
    message.set_now_s(value.now_s);
    for (const std::string& block : value.blocks) {
      message.add_blocks(block);
    }
  }
  void operator()(const MetricsPushed& value) const {
    event.mutable_metrics_pushed()->set_block(value.block);
  }
};

Result<ClientFrame> get_hello(const control::v1::ClientHello& message) {
  ClientHello hello;
  MUSTER_TRY_STATUS(get_name(message.version(), hello.version, "version"));
  MUSTER_TRY_STATUS(get_name(message.who(), hello.who, "who"));
  hello.follow_facts = message.follow_facts();
  hello.from_index = message.from_index();
  hello.follow_output = message.follow_output();
  return hello;
}

Result<ClientFrame> get_stop(const control::v1::StopJob& message) {
  StopJob stop;
  MUSTER_TRY_STATUS(get_name(message.by(), stop.by, "by"));
  stop.how = message.interrupt() ? job::StopHow::Interrupt : job::StopHow::Terminate;
  return stop;
}

Result<ClientEvent> get_welcome(const control::v1::ClientWelcome& message) {
  ClientWelcome welcome;
  MUSTER_TRY_STATUS(get_name(message.job_id(), welcome.job_id, "job id"));
  welcome.epoch = job::Epoch(message.epoch());
  welcome.plan_json = message.plan_json();
  welcome.seed = message.seed();
  return welcome;
}

Result<ClientEvent> get_logged(const control::v1::FactLogged& message) {
  FactLogged logged;
  logged.index = message.index();
  logged.at = Time(Duration(message.at_us()));
  logged.wall = WallTime(Duration(message.wall_us()));
  MUSTER_TRY_STATUS(required(message.has_fact(), get(message.fact(), logged.fact), "fact"));
  return logged;
}

Result<ClientEvent> get_output_event(const control::v1::Output& message) {
  Output output;
  MUSTER_TRY_STATUS(get(message, output));
  return output;
}

Result<ClientEvent> get_ended(const control::v1::JobEnded& message) {
  JobEnded ended;
  MUSTER_TRY_STATUS(
      required(message.has_outcome(), get(message.outcome(), ended.outcome), "outcome"));
  return ended;
}

Result<ClientEvent> get_refused(const control::v1::Refused& message) {
  Refused refused;
  MUSTER_TRY_STATUS(get_text(message.reason(), refused.reason, "reason"));
  return refused;
}

template <class Frame>
Result<Frame> get_stream(const control::v1::StreamFrame& message) {
  StreamFrame frame;
  MUSTER_TRY_STATUS(get(message, frame));
  return frame;
}

}  // namespace

std::string encode(const ClientFrame& frame) {
  if (auto data = encode_data_frame(frame, control::v1::ClientFrame::kStreamFieldNumber)) {
    return *std::move(data);
  }
  control::v1::ClientFrame message;
  std::visit(PutClientFrame{message}, frame);
  return message.SerializeAsString();
}

std::string encode(const ClientEvent& event) {
  if (auto data = encode_data_frame(event, control::v1::ClientEvent::kStreamFieldNumber)) {
    return *std::move(data);
  }
  control::v1::ClientEvent message;
  std::visit(PutClientEvent{message}, event);
  return message.SerializeAsString();
}

FrameParts encode_parts(ClientFrame frame) {
  return parts_of(std::move(frame), control::v1::ClientFrame::kStreamFieldNumber);
}

FrameParts encode_parts(ClientEvent event) {
  return parts_of(std::move(event), control::v1::ClientEvent::kStreamFieldNumber);
}

Result<ClientFrame> decode_client_frame(std::string_view bytes) {
  if (auto data = decode_data_frame(bytes, control::v1::ClientFrame::kStreamFieldNumber)) {
    return ClientFrame(*std::move(data));
  }
  MUSTER_TRY(const control::v1::ClientFrame message,
             parse<control::v1::ClientFrame>(bytes, kClientFrameBytesMax, "client frame"));
  switch (message.kind_case()) {
    case control::v1::ClientFrame::kHello:
      return get_hello(message.hello());
    case control::v1::ClientFrame::kStop:
      return get_stop(message.stop());
    case control::v1::ClientFrame::kStatusAsked:
      return StatusAsked{};
    case control::v1::ClientFrame::kStream:
      return get_stream<ClientFrame>(message.stream());
    case control::v1::ClientFrame::kMetricsAsked:
      return MetricsAsked{.step_s = message.metrics_asked().step_s(),
                          .from_s = message.metrics_asked().from_s()};
    case control::v1::ClientFrame::kFollowMetrics:
      return FollowMetrics{message.follow_metrics().on()};
    case control::v1::ClientFrame::KIND_NOT_SET:
      break;
  }
  return corrupt("unknown kind of client frame");
}

Result<ClientEvent> decode_client_event(std::string_view bytes) {
  if (auto data = decode_data_frame(bytes, control::v1::ClientEvent::kStreamFieldNumber)) {
    return ClientEvent(*std::move(data));
  }
  MUSTER_TRY(const control::v1::ClientEvent message,
             parse<control::v1::ClientEvent>(bytes, kPlanBytesMax, "client event"));
  switch (message.kind_case()) {
    case control::v1::ClientEvent::kWelcome:
      return get_welcome(message.welcome());
    case control::v1::ClientEvent::kFact:
      return get_logged(message.fact());
    case control::v1::ClientEvent::kOutput:
      return get_output_event(message.output());
    case control::v1::ClientEvent::kStatus:
      return StatusAnswered{message.status().json()};
    case control::v1::ClientEvent::kEnded:
      return get_ended(message.ended());
    case control::v1::ClientEvent::kRefused:
      return get_refused(message.refused());
    case control::v1::ClientEvent::kStream:
      return get_stream<ClientEvent>(message.stream());
    case control::v1::ClientEvent::kMetrics:
      return MetricsAnswered{
          .now_s = message.metrics().now_s(),
          .blocks = {message.metrics().blocks().begin(), message.metrics().blocks().end()}};
    case control::v1::ClientEvent::kMetricsPushed:
      return MetricsPushed{message.metrics_pushed().block()};
    case control::v1::ClientEvent::KIND_NOT_SET:
      break;
  }
  return corrupt("unknown kind of client event");
}

}  // namespace muster::wire
