#include "wire/stream_codec.h"

#include "base/overloaded.h"
#include "muster/control/v1/stream.pb.h"
#include "wire/data_frame.h"
#include "wire/enum_codec.h"
#include "wire/event_codec.h"
#include "wire/field_codec.h"

#include <algorithm>

namespace muster::wire {
namespace {

void put_terminal(const Terminal& value, control::v1::Terminal& message) {
  message.set_name(put_name(value.name));
  message.set_rows(value.size.rows);
  message.set_columns(value.size.columns);
}

Status get_size(const control::v1::Terminal& message, TerminalSize& size) {
  if (message.rows() > UINT16_MAX || message.columns() > UINT16_MAX) {
    return corrupt("a terminal's size is out of range");
  }
  size = {static_cast<uint16_t>(message.rows()), static_cast<uint16_t>(message.columns())};
  return {};
}

Status get_exec(const control::v1::ExecRequest& message, ExecRequest& value) {
  if (message.arguments().empty()) {
    return corrupt("a command without a program");
  }
  size_t total = 0;
  for (const std::string& word : message.arguments()) {
    total += word.size() + 1;
    if (total > kArgumentsBytesMax || word.find('\0') != std::string::npos) {
      return corrupt("a command is too long or has a NUL");
    }
    value.arguments.push_back(word);
  }
  value.keeps = message.keeps();
  if (value.keeps && !message.has_terminal()) {
    return corrupt("a shell without a terminal");
  }
  if (message.has_terminal()) {
    value.terminal.emplace();
    MUSTER_TRY_STATUS(get_name(message.terminal().name(), value.terminal->name, "terminal"));
    return get_size(message.terminal(), value.terminal->size);
  }
  return {};
}

void put_exec(const ExecRequest& value, control::v1::ExecRequest& message) {
  for (const std::string& word : value.arguments) {
    message.add_arguments(word);
  }
  if (value.terminal) {
    put_terminal(*value.terminal, *message.mutable_terminal());
  }
  message.set_keeps(value.keeps);
}

Status get_join(const control::v1::JoinRequest& message, JoinRequest& value) {
  value.shell = message.shell();
  if (message.resumes()) {
    value.position = message.position();
  }
  value.typist = message.typist();
  return required(message.has_terminal(), get_size(message.terminal(), value.size), "terminal");
}

void put_join(const JoinRequest& value, control::v1::JoinRequest& message) {
  message.set_shell(value.shell);
  message.set_resumes(value.position.has_value());
  message.set_position(value.position.value_or(0));
  message.set_typist(value.typist);
  put_terminal({"", value.size}, *message.mutable_terminal());
}

Status get_tcp(const control::v1::TcpRequest& message, TcpRequest& value) {
  if (message.port() == 0 || message.port() > UINT16_MAX) {
    return corrupt("a port is out of range");
  }
  value.port = static_cast<uint16_t>(message.port());
  return get_name(message.host(), value.host, "host");
}

/// The usual window is not sent: the other end may not know the field.
uint32_t put_window(size_t window) {
  return window == kStreamWindow ? 0 : static_cast<uint32_t>(window);
}

Status get_window(uint32_t wire, size_t& window) {
  if (wire != 0 && wire < kStreamWindow) {
    return corrupt("the window of a stream is too small");
  }
  window = wire == 0 ? kStreamWindow : std::min<size_t>(wire, kStreamWindowMax);
  return {};
}

struct PutKind {
  control::v1::StreamFrame& frame;

  void operator()(const StreamOpen& value) const {
    control::v1::StreamOpen& message = *frame.mutable_open();
    wire::put(value.attempt, *message.mutable_attempt());
    message.set_wait_us(value.wait.count());
    std::visit(Overloaded{
                   [&](const ExecRequest& exec) { put_exec(exec, *message.mutable_command()); },
                   [&](const TcpRequest& tcp) {
                     message.mutable_tcp()->set_port(tcp.port);
                     message.mutable_tcp()->set_host(put_name(tcp.host));
                   },
                   [&](const JoinRequest& join) { put_join(join, *message.mutable_join()); },
                   [&](const ShellsRequest&) { message.mutable_shells(); },
               },
               value.request);
    message.set_direct(value.direct);
    message.set_ticket(value.ticket);
    message.set_window(put_window(value.window));
  }
  void operator()(const StreamWaits& value) const {
    frame.mutable_waits()->set_reason(put_text(value.reason));
  }
  void operator()(const StreamOpened& value) const {
    control::v1::StreamOpened& message = *frame.mutable_opened();
    message.set_shell(value.shell);
    message.set_attempt(value.attempt);
    message.set_position(value.position);
    message.set_lost(value.lost);
    message.set_modes(value.modes);
    message.set_window(put_window(value.window));
    message.set_typist(value.typist);
    message.set_typed(value.typed);
  }
  void operator()(const StreamData& value) const { frame.mutable_data()->set_data(value.bytes); }
  void operator()(const StreamCredit& value) const {
    frame.mutable_credit()->set_bytes(value.bytes);
  }
  void operator()(const StreamClosed&) const { frame.mutable_closed(); }
  void operator()(const StreamReset& value) const {
    control::v1::StreamReset& message = *frame.mutable_reset();
    message.set_fault(enum_to_wire<control::v1::StreamFault>(value.fault));
    message.set_reason(put_text(value.reason));
  }
  void operator()(const StreamOffer& value) const {
    control::v1::StreamOffer& message = *frame.mutable_offer();
    message.set_address(put_name(value.address));
    message.set_container(put_name(value.container.value));
    message.set_ticket(value.ticket);
    message.set_key(std::string(value.key.begin(), value.key.end()));
  }
  void operator()(const StreamDeclined&) const { frame.mutable_declined(); }
  void operator()(const StreamTaken&) const { frame.mutable_taken(); }
};

/// Empty, or 32 hexadecimal digits.
Status get_ticket(const std::string& text, std::string& ticket) {
  const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  if (!text.empty() && (text.size() != kTicketDigits || !std::ranges::all_of(text, is_digit))) {
    return corrupt("a ticket is malformed");
  }
  ticket = text;
  return {};
}

Status get_offer(const control::v1::StreamOffer& message, StreamOffer& offer) {
  MUSTER_TRY_STATUS(get_name(message.address(), offer.address, "address"));
  MUSTER_TRY_STATUS(get_name(message.container(), offer.container.value, "container"));
  MUSTER_TRY_STATUS(get_ticket(message.ticket(), offer.ticket));
  if (offer.ticket.empty() || message.key().size() != offer.key.size()) {
    return corrupt("an offer without a ticket or a key");
  }
  std::ranges::copy(message.key(), offer.key.begin());
  return {};
}

Status get_open(const control::v1::StreamOpen& message, StreamOpen& open) {
  MUSTER_TRY_STATUS(
      required(message.has_attempt(), wire::get(message.attempt(), open.attempt), "attempt"));
  if (message.wait_us() < 0) {
    return corrupt("a wait is negative");
  }
  open.wait = Duration(message.wait_us());
  open.direct = message.direct();
  MUSTER_TRY_STATUS(get_window(message.window(), open.window));
  MUSTER_TRY_STATUS(get_ticket(message.ticket(), open.ticket));
  switch (message.request_case()) {
    case control::v1::StreamOpen::kCommand:
      return get_exec(message.command(), open.request.emplace<ExecRequest>());
    case control::v1::StreamOpen::kTcp:
      return get_tcp(message.tcp(), open.request.emplace<TcpRequest>());
    case control::v1::StreamOpen::kJoin:
      return get_join(message.join(), open.request.emplace<JoinRequest>());
    case control::v1::StreamOpen::kShells:
      open.request = ShellsRequest{};
      return {};
    case control::v1::StreamOpen::REQUEST_NOT_SET:
      break;
  }
  return corrupt("unknown kind of stream");
}

Status get_opened(const control::v1::StreamOpened& message, StreamOpened& opened) {
  if (message.modes().size() > kTerminalModesMax) {
    return corrupt("the modes of a terminal are too long");
  }
  opened.shell = message.shell();
  opened.attempt = message.attempt();
  opened.position = message.position();
  opened.lost = message.lost();
  opened.modes = message.modes();
  opened.typist = message.typist();
  opened.typed = message.typed();
  return get_window(message.window(), opened.window);
}

Status get_reset(const control::v1::StreamReset& message, StreamReset& reset) {
  MUSTER_TRY_STATUS(enum_from_wire(message.fault(), reset.fault, "stream fault"));
  return get_text(message.reason(), reset.reason, "reason");
}

}  // namespace

void put(const StreamFrame& value, control::v1::StreamFrame& message) {
  message.set_id(value.id);
  std::visit(PutKind{message}, value.kind);
}

Status get(const control::v1::StreamFrame& message, StreamFrame& value) {
  value.id = message.id();
  switch (message.kind_case()) {
    case control::v1::StreamFrame::kOpen:
      return get_open(message.open(), value.kind.emplace<StreamOpen>());
    case control::v1::StreamFrame::kWaits:
      return get_text(message.waits().reason(), value.kind.emplace<StreamWaits>().reason, "reason");
    case control::v1::StreamFrame::kOpened:
      return get_opened(message.opened(), value.kind.emplace<StreamOpened>());
    case control::v1::StreamFrame::kData:
      if (message.data().data().size() > kStreamDataMax) {
        return corrupt("a piece of a stream is too long");
      }
      value.kind = StreamData{message.data().data()};
      return {};
    case control::v1::StreamFrame::kCredit:
      value.kind = StreamCredit{message.credit().bytes()};
      return {};
    case control::v1::StreamFrame::kClosed:
      value.kind = StreamClosed{};
      return {};
    case control::v1::StreamFrame::kReset:
      return get_reset(message.reset(), value.kind.emplace<StreamReset>());
    case control::v1::StreamFrame::kOffer:
      return get_offer(message.offer(), value.kind.emplace<StreamOffer>());
    case control::v1::StreamFrame::kDeclined:
      value.kind = StreamDeclined{};
      return {};
    case control::v1::StreamFrame::kTaken:
      value.kind = StreamTaken{};
      return {};
    case control::v1::StreamFrame::KIND_NOT_SET:
      break;
  }
  return corrupt("unknown kind of stream frame");
}

std::string encode_stream_frame(const StreamFrame& frame) {
  if (auto data = encode_data_frame(frame, 0)) {
    return *std::move(data);
  }
  control::v1::StreamFrame message;
  put(frame, message);
  return message.SerializeAsString();
}

FrameParts encode_stream_parts(StreamFrame frame) {
  if (auto head = data_frame_head(frame, 0)) {
    return parts_of(*std::move(head), frame);
  }
  return {encode_stream_frame(frame), {}};
}

Result<StreamFrame> decode_stream_frame(std::string_view bytes) {
  if (auto data = decode_data_frame(bytes, 0)) {
    return *std::move(data);
  }
  MUSTER_TRY(const control::v1::StreamFrame message,
             parse<control::v1::StreamFrame>(bytes, kStreamFrameBytesMax, "stream frame"));
  StreamFrame frame;
  MUSTER_TRY_STATUS(get(message, frame));
  return frame;
}

// ---- what flows in a stream

std::string encode(const ExecInput& message) {
  if (const auto* input = std::get_if<ExecBytes>(&message)) {
    return encode_field(control::v1::ExecInput::kInputFieldNumber, input->bytes);
  }
  control::v1::ExecInput wire;
  std::visit(Overloaded{
                 [](const ExecBytes&) {},  // Above.
                 [&](const ExecInputEnded&) { wire.set_input_ended(true); },
                 [&](const TerminalSize& size) {
                   wire.mutable_resized()->set_rows(size.rows);
                   wire.mutable_resized()->set_columns(size.columns);
                 },
                 [&](const ExecSignal& signal) { wire.set_signal(signal.signal); },
             },
             message);
  return wire.SerializeAsString();
}

std::string encode(const ExecOutput& message) {
  if (const auto* output = std::get_if<ExecOutputBytes>(&message)) {
    return encode_field(output->is_err ? control::v1::ExecOutput::kErrorsFieldNumber
                                       : control::v1::ExecOutput::kOutputFieldNumber,
                        output->bytes);
  }
  control::v1::ExecOutput wire;
  const auto& exited = std::get<ExecExited>(message);
  wire.mutable_exited()->set_status(exited.status);
  wire.mutable_exited()->set_reason(put_name(exited.reason));
  return wire.SerializeAsString();
}

Result<ExecInput> decode_exec_input(std::string_view bytes) {
  if (const auto input = only_field(bytes, control::v1::ExecInput::kInputFieldNumber);
      input && bytes.size() <= kStreamDataMax) {
    return ExecBytes{std::string(*input)};
  }
  MUSTER_TRY(const control::v1::ExecInput message,
             parse<control::v1::ExecInput>(bytes, kStreamDataMax, "input of a command"));
  switch (message.kind_case()) {
    case control::v1::ExecInput::kInput:
      return ExecBytes{message.input()};
    case control::v1::ExecInput::kResized: {
      TerminalSize size;
      MUSTER_TRY_STATUS(get_size(message.resized(), size));
      return size;
    }
    case control::v1::ExecInput::kSignal:
      return ExecSignal{message.signal()};
    case control::v1::ExecInput::kInputEnded:
      return ExecInputEnded{};
    case control::v1::ExecInput::KIND_NOT_SET:
      break;
  }
  return corrupt("unknown kind of input of a command");
}

Result<ExecOutput> decode_exec_output(std::string_view bytes) {
  if (const auto output = only_field(bytes, control::v1::ExecOutput::kOutputFieldNumber);
      output && bytes.size() <= kStreamDataMax) {
    return ExecOutputBytes{false, std::string(*output)};
  }
  MUSTER_TRY(const control::v1::ExecOutput message,
             parse<control::v1::ExecOutput>(bytes, kStreamDataMax, "output of a command"));
  switch (message.kind_case()) {
    case control::v1::ExecOutput::kOutput:
      return ExecOutputBytes{false, message.output()};
    case control::v1::ExecOutput::kErrors:
      return ExecOutputBytes{true, message.errors()};
    case control::v1::ExecOutput::kExited: {
      ExecExited exited{message.exited().status(), ""};
      MUSTER_TRY_STATUS(get_name(message.exited().reason(), exited.reason, "reason"));
      return exited;
    }
    case control::v1::ExecOutput::KIND_NOT_SET:
      break;
  }
  return corrupt("unknown kind of output of a command");
}

std::string encode(const ShellList& list) {
  control::v1::ShellList wire;
  for (const Shell& shell : list.shells) {
    control::v1::Shell& message = *wire.add_shells();
    message.set_number(shell.number);
    message.set_pid(shell.pid);
    message.set_age_us(shell.age.count());
    message.set_joined(!shell.alone.has_value());
    message.set_alone_us(shell.alone.value_or(Duration::zero()).count());
    message.set_ended(shell.ended);
  }
  return wire.SerializeAsString();
}

Result<ShellList> decode_shell_list(std::string_view bytes) {
  MUSTER_TRY(const control::v1::ShellList message,
             parse<control::v1::ShellList>(bytes, kStreamDataMax, "list of shells"));
  if (static_cast<size_t>(message.shells_size()) > kStreamsMax) {
    return corrupt("a list of shells is too long");
  }
  ShellList list;
  for (const control::v1::Shell& each : message.shells()) {
    if (each.age_us() < 0 || each.alone_us() < 0) {
      return corrupt("the age of a shell is negative");
    }
    Shell& shell = list.shells.emplace_back();
    shell.number = each.number();
    shell.pid = each.pid();
    shell.age = Duration(each.age_us());
    if (!each.joined()) {
      shell.alone = Duration(each.alone_us());
    }
    shell.ended = each.ended();
  }
  return list;
}

}  // namespace muster::wire
