#include "probe.h"

#include "base/crc32c.h"
#include "hadoop/token_file.h"
#include "hadoop/token_identifier.h"
#include "os/file/local_files.h"
#include "rt/scope.h"

#include <chrono>
#include <hadoop/security.pb.h>
#include <optional>
#include <sys/resource.h>
#include <utility>
#include <vector>

namespace muster::probe {
namespace {

/// A message without fields keeps whatever it is given, so it can hold any message at all.
using Raw = ::hadoop::common::CancelDelegationTokenResponseProto;

Raw raw_of(const std::string& bytes) {
  Raw message;
  message.ParseFromString(bytes);
  return message;
}

json::object of(const rpc::Failure& failure) {
  return {{"error", failure.error.message},
          {"code", std::string(to_string(failure.error.code))},
          {"blame", std::string(to_string(failure.error.blame))},
          {"class", failure.exception_class},
          {"may_be_done", failure.may_be_done}};
}

rpc::Method method_of(const json::object& request, const std::string& name) {
  const std::string repetition = text_of(request, "repetition", "idempotent");
  return {.name = name,
          .repetition = repetition == "at_most_once"   ? rpc::Repetition::AtMostOnce
                        : repetition == "not_repeated" ? rpc::Repetition::NotRepeated
                                                       : rpc::Repetition::Idempotent};
}

/// Returns how much of the processors this process has used so far.
double cpu_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

/// What several callers count together.
struct Tally {
  int64_t left = 0;
  int64_t done = 0;
  std::optional<rpc::Failure> failed;
};

/// Calls again and again until no calls are left, or until `until`.
rt::Async<> caller(rt::Loop& loop, rpc::Proxy& proxy, const rpc::Method& method, const Raw& request,
                   Tally& tally, std::optional<HostTime> until) {
  while (!tally.failed && (until ? loop.now() < *until : tally.left-- > 0)) {
    Raw reply;
    const rpc::CallOptions options{.deadline = loop.now() + std::chrono::minutes(8)};
    rpc::Outcome outcome = co_await proxy.call(method, request, reply, options);
    if (!outcome.has_value()) {
      tally.failed = std::move(outcome).error();
      co_return;
    }
    ++tally.done;
  }
}

rt::Async<bool> all_callers(rt::Loop& loop, rpc::Proxy& proxy, rpc::Method method, Raw request,
                            int64_t callers, Tally& tally, std::optional<HostTime> until) {
  rt::Scope scope(loop);
  for (int64_t i = 0; i < callers; ++i) {
    scope.spawn(caller(loop, proxy, method, request, tally, until));
  }
  co_await scope.drained();
  co_return true;
}

}  // namespace

json::object Probe::answer(const json::object& request) {
  const std::string what = text_of(request, "do", "");
  if (what == "open") {
    return open(request);
  }
  if (what == "call") {
    return call(request);
  }
  if (what == "cancel") {
    return cancel(request);
  }
  if (what == "rate") {
    return rate(request);
  }
  if (what == "load") {
    return load(request);
  }
  if (what == "checksums") {
    return checksums(request);
  }
  if (what == "exchange_tokens") {
    return exchange_tokens(request);
  }
  return {{"error", "the probe does not know how to " + what}};
}

json::object Probe::open(const json::object& request) {
  rpc::Target target{
      .what = text_of(request, "what", "NameNode"),
      .servers = {},
      .protocol = {.name = text_of(request, "protocol",
                                   "org.apache.hadoop.hdfs.protocol.ClientProtocol")},
      .identity = {.user = text_of(request, "user", ""),
                   .real_user = text_of(request, "real_user", "")},
      .find_token = {},
      .kerberos = flag_of(request, "kerberos"),
      .allow_simple = flag_of(request, "allow_simple"),
      .server_principal = text_of(request, "principal", ""),
      .protections = {}};
  for (const std::string& text : texts_of(request, "servers")) {
    const Result<net::HostPort> address = net::parse_host_port(text);
    if (!address) {
      return of(rpc::Failure(address.error()));
    }
    target.servers.push_back({.address = *address, .label = {}});
  }
  for (const std::string& protection : texts_of(request, "protections")) {
    target.protections.push_back(protection == "privacy"     ? rpc::Protection::Privacy
                                 : protection == "integrity" ? rpc::Protection::Integrity
                                                             : rpc::Protection::Authentication);
  }
  if (request.contains("identifier")) {
    target.find_token = [secret = rpc::TokenSecret{.identifier = bytes_of(request, "identifier"),
                                                   .password = bytes_of(request, "password")}](
                            const rpc::TokenQuery&) { return std::optional(secret); };
  }
  const rpc::ConnectionOptions connection{
      .connect_timeout = std::chrono::seconds(number_of(request, "connect_timeout", 20)),
      .handshake_timeout = std::chrono::seconds(number_of(request, "handshake_timeout", 20)),
      .call_timeout = std::chrono::seconds(number_of(request, "call_timeout", 120)),
      .ping_interval = std::chrono::milliseconds(number_of(request, "ping_interval_ms", 60000))};
  const rpc::RetryOptions retry{.attempts_max =
                                    static_cast<int>(number_of(request, "attempts", 15))};
  proxy_ = client_.proxy(std::move(target), connection, retry);
  return {};
}

json::object Probe::call(const json::object& request) {
  const std::string name = text_of(request, "method", "");
  const Raw message = raw_of(bytes_of(request, "request"));
  Raw reply;
  const rpc::CallOptions options{
      .deadline = loop_.now() + std::chrono::milliseconds(number_of(request, "within_ms", 60000)),
      .fail_fast = flag_of(request, "fail_fast")};
  rpc::Outcome outcome = run(proxy_->call(method_of(request, name), message, reply, options));
  if (!outcome.has_value()) {
    return of(outcome.error());
  }
  return {{"reply", digits_of(reply.SerializeAsString())}};
}

/// Begins a call and cancels it after a while.
json::object Probe::cancel(const json::object& request) {
  const std::string name = text_of(request, "method", "");
  const Raw message = raw_of(bytes_of(request, "request"));
  Raw reply;
  bool ended = false;
  {
    const auto running =
        rt::start(loop_, proxy_->call(method_of(request, name), message, reply, {}),
                  [&](const rpc::Outcome&) { ended = true; });
    loop_.run_until(loop_.now() + std::chrono::milliseconds(number_of(request, "after_ms", 0)));
  }
  return {{"ended", ended}};
}

/// Makes this many calls, some of them under way at any time; returns how long that took, and what
/// it cost this process.
json::object Probe::rate(const json::object& request) {
  const std::string name = text_of(request, "method", "");
  Tally tally{.left = number_of(request, "calls", 1000), .done = 0, .failed = {}};
  const HostTime begun = loop_.now();
  const double used = cpu_seconds();
  run(all_callers(loop_, *proxy_, method_of(request, name), raw_of(bytes_of(request, "request")),
                  number_of(request, "callers", 1), tally, std::nullopt));
  if (tally.failed) {
    return of(*tally.failed);
  }
  return {{"calls", tally.done},
          {"seconds", std::chrono::duration<double>(loop_.now() - begun).count()},
          {"cpu_seconds", cpu_seconds() - used}};
}

/// Sums chunks of HDFS's size again and again; returns the processor seconds by instruction and by
/// table.
json::object Probe::checksums(const json::object& request) {
  const std::string packet(64512, 'x');
  const int64_t packets = number_of(request, "bytes", 0) / static_cast<int64_t>(packet.size());
  const auto seconds_of = [&](uint32_t (*sum)(std::string_view)) {
    const double used = cpu_seconds();
    uint32_t all = 0;
    for (int64_t i = 0; i < packets; ++i) {
      for (size_t at = 0; at < packet.size(); at += 512) {
        all ^= sum(std::string_view(packet).substr(at, 512)) + static_cast<uint32_t>(i);
      }
    }
    return std::pair(cpu_seconds() - used, all);
  };
  const auto [quick, one] = seconds_of(crc32c);
  const auto [slow, other] = seconds_of(crc32c_portable);
  return {{"bytes", packets * static_cast<int64_t>(packet.size())},
          {"cpu_seconds", quick},
          {"cpu_seconds_by_table", slow},
          {"same", one == other}};
}

/// Reads a token file and writes its contents to another, in the named format; reports each token.
json::object Probe::exchange_tokens(const json::object& request) {
  const auto files = os::make_local_files(nullptr);
  const Result<hadoop::Credentials> read =
      hadoop::read_token_file(*files, text_of(request, "from", ""));
  if (!read) {
    return of(rpc::Failure(read.error()));
  }
  const WallTime now = std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
  json::array tokens;
  for (const hadoop::NamedToken& named : read->tokens()) {
    tokens.emplace_back(named.alias + ": " + hadoop::describe(named.token, now));
  }
  const auto format = text_of(request, "format", "") == "protobuf"
                          ? hadoop::CredentialsFormat::Protobuf
                          : hadoop::CredentialsFormat::Writable;
  if (const Status written =
          hadoop::write_token_file(*files, text_of(request, "to", ""), *read, format);
      !written) {
    return of(rpc::Failure(written.error()));
  }
  return {{"tokens", std::move(tokens)}};
}

/// Runs many callers for a time; every one of their calls must succeed.
json::object Probe::load(const json::object& request) {
  const std::string name = text_of(request, "method", "");
  Tally tally;
  run(all_callers(loop_, *proxy_, method_of(request, name), raw_of(bytes_of(request, "request")),
                  number_of(request, "callers", 8), tally,
                  loop_.now() + std::chrono::milliseconds(number_of(request, "for_ms", 5000))));
  if (tally.failed) {
    return of(*tally.failed);
  }
  return {{"calls", tally.done}};
}

}  // namespace muster::probe
