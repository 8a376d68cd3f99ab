#include "base/check.h"
#include "muster/control/v1/master.pb.h"
#include "muster/control/v1/stream.pb.h"
#include "wire/control_codec.h"
#include "wire/data_frame.h"
#include "wire/event_codec.h"
#include "wire/field_codec.h"
#include "wire/frame.h"
#include "wire/stream_codec.h"

namespace muster::wire {
namespace {

struct PutMasterFrame {
  control::v1::MasterFrame& frame;

  void operator()(const MasterWelcome& value) const {
    control::v1::MasterWelcome& message = *frame.mutable_welcome();
    message.set_epoch(value.epoch.value);
    message.set_job_id(put_name(value.job_id));
    message.set_seed(value.seed);
    message.set_plan_json(value.plan_json);
    for (const auto& [key, secret] : value.secrets) {
      control::v1::SecretValue* wire = message.add_secrets();
      wire->set_key(key);
      wire->set_value(secret);
    }
    message.set_master_address(put_name(value.master_address));
    message.set_client_python(put_name(value.client_python));
  }
  void operator()(const ViewPushed& value) const {
    put(value.view, *frame.mutable_view()->mutable_view());
  }
  void operator()(const AgentOrder& value) const {
    control::v1::AgentOrder& message = *frame.mutable_order();
    if (const auto* prepare = std::get_if<job::PrepareAttempt>(&value.action)) {
      put(*prepare, *message.mutable_prepare());
    } else if (const auto* start = std::get_if<job::StartAttempt>(&value.action)) {
      put(*start, *message.mutable_start());
    } else {
      const auto* stop = std::get_if<job::StopAttempt>(&value.action);
      MUSTER_CHECK(stop != nullptr, "only actions on attempts are sent to agents");
      put(*stop, *message.mutable_stop());
    }
  }
  void operator()(const ReportAsked&) const { frame.mutable_report_asked(); }
  void operator()(const CommitAnswered& value) const {
    control::v1::CommitAnswered& message = *frame.mutable_commit_answered();
    put(value.attempt, *message.mutable_attempt());
    message.set_generation(value.generation.value);
    message.set_name(put_name(value.name));
    message.set_refusal(put_text(value.refusal));
  }
  void operator()(const FollowOutput& value) const {
    frame.mutable_follow_output()->set_on(value.on);
    frame.mutable_follow_output()->set_tail_lines(value.tail_lines);
    frame.mutable_follow_output()->set_again(value.again);
  }
  void operator()(const AgentDismissed& value) const {
    frame.mutable_dismissed()->set_reason(put_text(value.reason));
  }
  void operator()(const StreamFrame& value) const { put(value, *frame.mutable_stream()); }
};

Result<MasterFrame> get_welcome(const control::v1::MasterWelcome& message) {
  MasterWelcome welcome;
  welcome.epoch = job::Epoch(message.epoch());
  MUSTER_TRY_STATUS(get_name(message.job_id(), welcome.job_id, "job id"));
  welcome.seed = message.seed();
  welcome.plan_json = message.plan_json();
  for (const control::v1::SecretValue& secret : message.secrets()) {
    if (!welcome.secrets.emplace(secret.key(), secret.value()).second) {
      return corrupt("duplicate secret");
    }
  }
  MUSTER_TRY_STATUS(get_name(message.master_address(), welcome.master_address, "master address"));
  MUSTER_TRY_STATUS(get_exact(message.client_python(), welcome.client_python, "client python"));
  return welcome;
}

Result<MasterFrame> get_view(const control::v1::ViewPushed& message) {
  ViewPushed pushed;
  MUSTER_TRY_STATUS(required(message.has_view(), get(message.view(), pushed.view), "view"));
  return pushed;
}

template <class Value, class Message>
Result<MasterFrame> get_order_as(const Message& message) {
  Value value;
  MUSTER_TRY_STATUS(get(message, value));
  return AgentOrder{std::move(value)};
}

Result<MasterFrame> get_order(const control::v1::AgentOrder& message) {
  switch (message.action_case()) {
    case control::v1::AgentOrder::kPrepare:
      return get_order_as<job::PrepareAttempt>(message.prepare());
    case control::v1::AgentOrder::kStart:
      return get_order_as<job::StartAttempt>(message.start());
    case control::v1::AgentOrder::kStop:
      return get_order_as<job::StopAttempt>(message.stop());
    case control::v1::AgentOrder::ACTION_NOT_SET:
      break;
  }
  return corrupt("unknown kind of order");
}

Result<MasterFrame> get_commit(const control::v1::CommitAnswered& message) {
  CommitAnswered answer;
  MUSTER_TRY_STATUS(
      required(message.has_attempt(), get(message.attempt(), answer.attempt), "attempt"));
  answer.generation = job::Generation(message.generation());
  MUSTER_TRY_STATUS(get_exact(message.name(), answer.name, "checkpoint name"));
  MUSTER_TRY_STATUS(get_text(message.refusal(), answer.refusal, "refusal"));
  return answer;
}

Result<MasterFrame> get_dismissed(const control::v1::AgentDismissed& message) {
  AgentDismissed dismissed;
  MUSTER_TRY_STATUS(get_text(message.reason(), dismissed.reason, "reason"));
  return dismissed;
}

Result<MasterFrame> get_stream_to_agent(const control::v1::StreamFrame& message) {
  StreamFrame frame;
  MUSTER_TRY_STATUS(get(message, frame));
  return frame;
}

}  // namespace

std::string encode(const MasterFrame& frame) {
  if (auto data = encode_data_frame(frame, control::v1::MasterFrame::kStreamFieldNumber)) {
    return *std::move(data);
  }
  control::v1::MasterFrame message;
  std::visit(PutMasterFrame{message}, frame);
  return message.SerializeAsString();
}

FrameParts encode_parts(MasterFrame frame) {
  return parts_of(std::move(frame), control::v1::MasterFrame::kStreamFieldNumber);
}

Result<MasterFrame> decode_master_frame(std::string_view bytes) {
  if (auto data = decode_data_frame(bytes, control::v1::MasterFrame::kStreamFieldNumber)) {
    return MasterFrame(*std::move(data));
  }
  MUSTER_TRY(const control::v1::MasterFrame message,
             parse<control::v1::MasterFrame>(bytes, kPlanBytesMax, "master frame"));
  switch (message.kind_case()) {
    case control::v1::MasterFrame::kWelcome:
      return get_welcome(message.welcome());
    case control::v1::MasterFrame::kView:
      return get_view(message.view());
    case control::v1::MasterFrame::kOrder:
      return get_order(message.order());
    case control::v1::MasterFrame::kReportAsked:
      return ReportAsked{};
    case control::v1::MasterFrame::kCommitAnswered:
      return get_commit(message.commit_answered());
    case control::v1::MasterFrame::kFollowOutput:
      return FollowOutput{message.follow_output().on(), message.follow_output().tail_lines(),
                          message.follow_output().again()};
    case control::v1::MasterFrame::kDismissed:
      return get_dismissed(message.dismissed());
    case control::v1::MasterFrame::kStream:
      return get_stream_to_agent(message.stream());
    case control::v1::MasterFrame::KIND_NOT_SET:
      break;
  }
  return corrupt("unknown kind of master frame");
}

}  // namespace muster::wire
