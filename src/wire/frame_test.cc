#include "wire/frame.h"

#include "wire/log_record.h"

#include <gtest/gtest.h>

#include <array>
#include <random>

namespace muster::wire {
namespace {

/// Values of every kind from a seed, including odd ones: bytes that are not UTF-8, empty texts,
/// extreme numbers.
class Arbitrary {
 public:
  explicit Arbitrary(uint64_t seed) : engine_(seed) {}

  uint64_t below(uint64_t bound) { return engine_() % bound; }
  bool coin() { return below(2) == 0; }
  std::string text() {
    std::string text(below(20), '\0');
    for (char& byte : text) {
      byte = static_cast<char>(' ' + below(95));
    }
    return text;
  }
  uint32_t number() {
    return coin() ? static_cast<uint32_t>(below(5)) : static_cast<uint32_t>(engine_());
  }
  int32_t signed_number() { return static_cast<int32_t>(engine_()); }
  Duration duration() { return Duration(static_cast<int64_t>(engine_())); }
  template <class Enum>
  Enum one_of(Enum last) {
    return static_cast<Enum>(below(static_cast<uint64_t>(last) + 1));
  }

  job::ContainerId container() { return job::ContainerId(text()); }
  job::HostName host() { return job::HostName(text()); }
  job::Generation generation() { return job::Generation(number()); }
  job::AttemptId attempt() {
    return {{job::RoleIndex(static_cast<uint16_t>(engine_())), number()}, number()};
  }
  job::Address address() {
    job::Address address{text(), static_cast<uint16_t>(engine_()), {}};
    for (uint64_t i = below(3); i > 0; --i) {
      address.named_ports[text()] = static_cast<uint16_t>(engine_());
    }
    return address;
  }
  job::Failure failure() {
    return {text(), one_of(job::FailureKind::Stopped), one_of(job::Remedy::GiveUp), text(), text()};
  }
  job::Exit exit() {
    job::Exit exit;
    if (coin()) {
      exit.exit_code = signed_number();
    } else {
      exit.signal = signed_number();
    }
    exit.over_memory = coin();
    exit.memory_peak_bytes = engine_();
    exit.age = duration();
    if (coin()) {
      exit.failure = failure();
    }
    return exit;
  }
  job::AgentReported report() {
    job::AgentReported report{container(), text(), job::Epoch(number()), generation(), {}};
    for (uint64_t i = below(4); i > 0; --i) {
      job::AttemptReport& one = report.attempts.emplace_back();
      one = {attempt(), one_of(job::AttemptReport::Phase::Ended), address(), generation(),
             std::nullopt};
      if (coin()) {
        one.exit = exit();
      }
    }
    return report;
  }

  /// Returns a fact of the kind at position `kind` of the variant.
  job::Fact fact(size_t kind) {
    switch (kind) {
      case 0:
        return job::JobStarted{};
      case 1:
        return job::ContainerGranted{job::RequestId(number()), container(), host()};
      case 2:
        return job::RequestRefused{job::RequestId(number()), one_of(job::RefusalKind::Transient),
                                   text()};
      case 3:
        return job::LaunchFailed{container(), text()};
      case 4:
        return job::AgentJoined{container(), text()};
      case 5:
        return report();
      case 6:
        return job::AgentSuspected{container()};
      case 7:
        return job::AgentLost{container(), one_of(job::LossReason::Unreachable)};
      case 8:
        return job::AttemptJoined{attempt(), address()};
      case 9:
        return job::AttemptStarted{attempt(), signed_number()};
      case 10:
        return job::AttemptEnded{attempt(), exit()};
      case 11:
        return job::AttemptStalled{attempt(), duration(), one_of(job::Sureness::Certain), text(),
                                   text()};
      case 12:
        return container_ended();
      case 13:
        return job::CheckpointCommitted{attempt(), generation(), text()};
      case 14:
        return job::EndpointPublished{attempt(), text(), text()};
      case 15:
        return job::HostReported{host(), one_of(job::HostHealth::Lost)};
      case 16:
        return job::HeadroomReported{engine_(), number(), number(), number()};
      case 17:
        return job::PreemptionNoticed{container(), duration()};
      case 18:
        return job::DeadlinePassed{job::DeadlineId(number())};
      case 19:
        return job::StopAsked{text(), one_of(job::StopHow::Interrupt)};
      case 20:
        return job::MasterRecovered{job::Epoch(number())};
      case 21:
        return job::SessionOpened{attempt(), text(), text(), text(), text()};
      case 22:
        return job::NoticeTold{text(), one_of(job::NoticeWay::Mail),
                               one_of(job::NoticeFate::GivenUp), number(), text()};
      default:
        return job::SessionDetached{attempt(), text(), text(), text()};
    }
  }
  job::ContainerEnded container_ended() {
    job::ContainerEnded ended{container(), one_of(job::ContainerEndKind::Killed), std::nullopt,
                              text()};
    if (coin()) {
      ended.exit_code = signed_number();
    }
    ended.cluster_code = text();
    if (coin()) {
      ended.failure = failure();
    }
    return ended;
  }
  size_t window() {
    return coin() ? kStreamWindow : kStreamWindow + below(kStreamWindowMax - kStreamWindow + 1);
  }
  StreamFrame stream() {
    switch (below(10)) {
      case 0: {
        ExecRequest exec{{"sh", "a b"}, std::nullopt};
        if (coin()) {
          exec.terminal = {text(), {static_cast<uint16_t>(engine_()), 80}};
          exec.keeps = coin();
        }
        StreamOpen open{attempt(), Duration(below(1'000'000)), std::move(exec)};
        if (coin()) {
          open.request = TcpRequest{static_cast<uint16_t>(1 + below(65'535)), text()};
        } else if (coin()) {
          JoinRequest join{number(), std::nullopt, {static_cast<uint16_t>(engine_()), 80}};
          if (coin()) {
            join.position = engine_();
            join.typist = number();
          }
          open.request = join;
        } else if (coin()) {
          open.request = ShellsRequest{};
        }
        open.direct = coin();
        open.ticket = coin() ? std::string(kTicketDigits, 'a') : "";
        open.window = window();
        return {engine_(), open};
      }
      case 1:
        return {engine_(), StreamWaits{text()}};
      case 2:
        return {engine_(), StreamOpened{number(), number(), engine_(), engine_(), text(), window(),
                                        number(), engine_()}};
      case 3:
        return {engine_(), StreamData{text()}};
      case 4:
        return {engine_(), StreamCredit{engine_()}};
      case 5:
        return {engine_(), StreamClosed{}};
      case 6:
        return {engine_(), StreamOffer{"h1:70", container(), std::string(kTicketDigits, '7'), {9}}};
      case 7:
        return {engine_(), StreamDeclined{}};
      case 8:
        return {engine_(), StreamTaken{}};
      default:
        return {engine_(), StreamReset{one_of(StreamFault::Protocol), text()}};
    }
  }
  Output output() {
    return {attempt(), one_of(OutputStream::Stderr), engine_(), engine_(), text(), coin(), coin()};
  }

  Samples samples() {
    Samples samples{.attempt = std::nullopt, .age = duration(), .readings = {}, .named = {}};
    if (coin()) {
      samples.attempt = attempt();
    }
    for (uint64_t i = below(4); i > 0; --i) {
      samples.readings.push_back({.metric = one_of(metrics::Builtin::SystemNetworkTransmit),
                                  .value = static_cast<double>(engine_())});
      samples.named.push_back({.metric = {.name = "user." + text(),
                                          .unit = "s",
                                          .kind = one_of(metrics::Kind::Counter)},
                               .value = -0.5});
    }
    if (coin()) {
      samples.quiet = Pause{.now = duration(), .longest = duration()};
    }
    if (coin()) {
      samples.fruitless = Fruitless{.pause = {.now = duration(), .longest = duration()},
                                    .knows_past = coin(),
                                    .reports = coin(),
                                    .got_on = coin()};
    }
    return samples;
  }

  AgentFrame agent_frame(size_t kind) {
    switch (kind) {
      case 0:
        return AgentHello{report(), text(), signed_number(), text(), coin()};
      case 1:
        return Beat{engine_(), {samples(), samples()}};
      case 2:
        return Report{report()};
      case 3: {
        constexpr std::array<size_t, 4> kKinds{8, 9, 10, 14};
        return AgentFact{fact(kKinds[below(kKinds.size())])};
      }
      case 4:
        return CommitAsked{attempt(), generation(), text()};
      case 5:
        return output();
      default:
        return stream();
    }
  }
  job::Action order() {
    switch (below(3)) {
      case 0:
        return job::PrepareAttempt{
            attempt(), container(), number(), coin(), static_cast<uint16_t>(engine_()), number()};
      case 1:
        return job::StartAttempt{attempt(), container(), generation()};
      default:
        return job::StopAttempt{attempt(), container(), duration(), one_of(job::StopReason::Shrink),
                                duration()};
    }
  }
  MasterFrame master_frame(size_t kind) {
    switch (kind) {
      case 0:
        return MasterWelcome{job::Epoch(number()),
                             text(),
                             engine_(),
                             text(),
                             {{text(), text()}, {"a", text()}},
                             text(),
                             text()};
      case 1: {
        job::View view{generation(), {}};
        for (uint64_t i = below(5); i > 0; --i) {
          view.members.push_back(
              {attempt().task, number(), address(), host(), container(), number()});
        }
        return ViewPushed{view};
      }
      case 2:
        return AgentOrder{order()};
      case 3:
        return ReportAsked{};
      case 4:
        return CommitAnswered{attempt(), generation(), text(), text()};
      case 5:
        return FollowOutput{coin(), number(), coin()};
      case 6:
        return AgentDismissed{text()};
      default:
        return stream();
    }
  }
  ClientFrame client_frame(size_t kind) {
    switch (kind) {
      case 0:
        return ClientHello{text(), text(), coin(), engine_(), coin()};
      case 1:
        return StopJob{text(), one_of(job::StopHow::Interrupt)};
      case 2:
        return StatusAsked{};
      case 4:
        return MetricsAsked{number(), signed_number()};
      case 5:
        return FollowMetrics{coin()};
      default:
        return stream();
    }
  }
  ClientEvent client_event(size_t kind) {
    switch (kind) {
      case 0:
        return ClientWelcome{text(), job::Epoch(number()), text(), engine_()};
      case 1:
        return FactLogged{engine_(), Time(duration()), WallTime(duration()), fact(below(kFacts))};
      case 2:
        return output();
      case 3:
        return StatusAnswered{text()};
      case 4: {
        job::Outcome outcome{one_of(job::JobResult::Stopped), one_of(job::OutcomeReason::Refused),
                             text(), text(), std::nullopt};
        if (coin()) {
          outcome.first_cause = {attempt(), host(), container(), signed_number(), std::nullopt,
                                 failure(), 3};
        }
        return JobEnded{outcome};
      }
      case 5:
        return Refused{text()};
      case 7:
        return MetricsAnswered{signed_number(), {text(), std::string("\0\xFF", 2)}};
      case 8:
        return MetricsPushed{text()};
      default:
        return stream();
    }
  }

  static constexpr size_t kFacts = std::variant_size_v<job::Fact>;

 private:
  std::mt19937_64 engine_;
};

constexpr uint64_t kSeeds = 50;

TEST(FactCodec, GivesBackEveryKind) {
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    Arbitrary any(seed);
    for (size_t kind = 0; kind < Arbitrary::kFacts; ++kind) {
      const job::Fact fact = any.fact(kind);
      ASSERT_EQ(fact.index(), kind);
      const Result<job::Fact> back = decode_fact(encode_fact(fact));
      ASSERT_TRUE(back.has_value()) << back.error().message;
      EXPECT_EQ(*back, fact) << job::name_of(fact);
    }
  }
}

TEST(FactCodec, TakesNothingThatATerminalObeys) {
  const job::AttemptId attempt{{job::RoleIndex(0), 1}, 1};
  job::Exit exit{.exit_code = 1};
  exit.failure = job::Failure{.class_name = "user.\x1b[2Jx",
                              .evidence =
                                  "one\u202Etwo\nthree\xC2\x9B"
                                  "4",
                              .hint = "\x1b]0;title\a"};
  const auto ended = decode_fact(encode_fact(job::AttemptEnded{attempt, exit}));
  ASSERT_TRUE(ended.has_value());
  const job::Failure& failure = *std::get<job::AttemptEnded>(*ended).exit.failure;
  EXPECT_EQ(failure.class_name, "user.^[[2Jx");
  EXPECT_EQ(failure.evidence,
            "one\uFFFDtwo\nthree\uFFFD"
            "4");
  EXPECT_EQ(failure.hint, "^[]0;title^G");
  const auto published =
      decode_fact(encode_fact(job::EndpointPublished{attempt, "a\n\x1b[1mb", "http://\u2066x"}));
  ASSERT_TRUE(published.has_value());
  EXPECT_EQ(std::get<job::EndpointPublished>(*published).name, "a^J^[[1mb");
  EXPECT_EQ(std::get<job::EndpointPublished>(*published).url, "http://\uFFFDx");
}

TEST(FrameCodec, GivesBackEveryAgentFrame) {
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    Arbitrary any(seed);
    for (size_t kind = 0; kind < std::variant_size_v<AgentFrame>; ++kind) {
      const AgentFrame frame = any.agent_frame(kind);
      ASSERT_EQ(frame.index(), kind);
      EXPECT_EQ(decode_agent_frame(encode(frame)), frame);
    }
  }
}

TEST(FrameCodec, GivesBackEveryMasterFrame) {
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    Arbitrary any(seed);
    for (size_t kind = 0; kind < std::variant_size_v<MasterFrame>; ++kind) {
      const MasterFrame frame = any.master_frame(kind);
      ASSERT_EQ(frame.index(), kind);
      EXPECT_EQ(decode_master_frame(encode(frame)), frame);
    }
  }
}

TEST(FrameCodec, GivesBackEveryClientFrameAndEvent) {
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    Arbitrary any(seed);
    for (size_t kind = 0; kind < std::variant_size_v<ClientFrame>; ++kind) {
      const ClientFrame frame = any.client_frame(kind);
      EXPECT_EQ(decode_client_frame(encode(frame)), frame);
    }
    for (size_t kind = 0; kind < std::variant_size_v<ClientEvent>; ++kind) {
      const ClientEvent event = any.client_event(kind);
      EXPECT_EQ(decode_client_event(encode(event)), event);
    }
  }
}

TEST(FrameCodec, EncodesEqualValuesToEqualBytes) {
  EXPECT_EQ(encode(Arbitrary(7).master_frame(0)), encode(Arbitrary(7).master_frame(0)));
}

TEST(LogRecordCodec, GivesBackHeaderAndRecord) {
  Arbitrary any(3);
  const LogHeader header{
      1, 2, any.text(), any.text(), job::Epoch(4), ~0ULL, WallTime(Duration(-5)), any.text()};
  EXPECT_EQ(decode_log_header(encode_log_header(header)), header);
  const LogRecord record{9, Time(Duration(8)), WallTime(Duration(7)), any.fact(10)};
  EXPECT_EQ(decode_log_record(encode_log_record(record)), record);
}

/// Damaged bytes of every kind yield a value or Corrupt; reading on, and memory, stay within
/// bounds.
TEST(FrameCodec, SurvivesDamage) {
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    Arbitrary any(seed);
    std::string bytes = encode(any.client_event(seed % std::variant_size_v<ClientEvent>));
    bytes += encode(any.master_frame(seed % std::variant_size_v<MasterFrame>));
    for (int flips = 0; flips < 20; ++flips) {
      if (!bytes.empty()) {
        bytes[any.below(bytes.size())] = static_cast<char>(any.below(256));
      }
      const std::string cut = bytes.substr(0, any.below(bytes.size() + 1));
      for (const std::string& damaged : {bytes, cut}) {
        if (const auto frame = decode_agent_frame(damaged); !frame) {
          EXPECT_EQ(frame.error().code, Errc::Corrupt);
        }
        (void)decode_master_frame(damaged).has_value();
        (void)decode_client_frame(damaged).has_value();
        (void)decode_client_event(damaged).has_value();
        (void)decode_fact(damaged).has_value();
      }
    }
  }
}

TEST(FrameCodec, RefusesEmptyAndUnknownKinds) {
  EXPECT_EQ(decode_agent_frame("").error().code, Errc::Corrupt);
  EXPECT_EQ(decode_master_frame("").error().code, Errc::Corrupt);
  EXPECT_EQ(decode_client_frame("\x7a\x00").error().code, Errc::Corrupt);
  EXPECT_EQ(decode_client_event("").error().code, Errc::Corrupt);
}

TEST(FrameCodec, RefusesUnknownEnumerators) {
  // Fact.agent_lost (8) { reason (2): 9 }.
  const std::string lost("\x42\x02\x10\x09", 4);
  const Result<job::Fact> fact = decode_fact(lost);
  ASSERT_FALSE(fact.has_value());
  EXPECT_EQ(fact.error().message, "unknown loss reason 9");
}

TEST(FrameCodec, RefusesMissingParts) {
  const std::string started("\x52\x00", 2);  // attempt_started without its attempt.
  EXPECT_EQ(decode_fact(started).error().message, "attempt is missing");
}

TEST(FrameCodec, RefusesFactsThatAreNotTheAgents) {
  // AgentFrame.fact (4) { fact (1) { stop_asked (20) {} } }.
  const std::string bytes("\x22\x05\x0a\x03\xa2\x01\x00", 7);
  EXPECT_EQ(decode_agent_frame(bytes).error().message,
            "an agent reported something it may not report: stop-asked");
}

TEST(FrameCodec, CutsWhatIsTooLongAndReadsItBack) {
  const job::Fact fact = job::StopAsked{std::string(100'000, 'x')};
  const Result<job::Fact> back = decode_fact(encode_fact(fact));
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(std::get<job::StopAsked>(*back).by.size(), 64U << 10);
}

TEST(FrameCodec, RefusesBadStreams) {
  const auto refused = [](const StreamFrame& frame) {
    return decode_client_frame(encode(ClientFrame(frame))).error().message;
  };
  EXPECT_EQ(refused({1, StreamData{std::string(kStreamDataMax + 1, 'x')}}),
            "a piece of a stream is too long");
  EXPECT_EQ(refused({1, StreamOpen{}}), "a command without a program");
  EXPECT_EQ(refused({1, StreamOpen{.request = TcpRequest{}}}), "a port is out of range");
  EXPECT_EQ(
      refused({1, StreamOpen{.request = ExecRequest{{std::string(kArgumentsBytesMax, 'x')}, {}}}}),
      "a command is too long or has a NUL");
  EXPECT_EQ(refused({1, StreamOpen{.request = ExecRequest{{std::string("a\0b", 3)}, {}}}}),
            "a command is too long or has a NUL");
  EXPECT_EQ(refused({1, StreamOpen{.wait = Duration(-1), .request = ExecRequest{{"true"}, {}}}}),
            "a wait is negative");
  EXPECT_EQ(refused({1, StreamOpened{.window = kStreamWindow - 1}}),
            "the window of a stream is too small");
  EXPECT_EQ(refused({1, StreamOpen{.request = TcpRequest{1, ""}, .ticket = "abc"}}),
            "a ticket is malformed");
  EXPECT_EQ(refused({1, StreamOffer{"h1:70", job::ContainerId("c1"), "", {}}}),
            "an offer without a ticket or a key");
}

TEST(FrameCodec, RefusesLongClientFrames) {
  const std::string bytes(170'000, '\0');
  EXPECT_EQ(decode_client_frame(bytes).error().message, "client frame is too long");
}

}  // namespace
}  // namespace muster::wire
