#include "hadoop/token_identifier.h"

#include "base/text.h"
#include "hadoop/writable.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <hadoop/identifiers.pb.h>
#include <limits>
#include <utility>

namespace muster::hadoop {
namespace {

namespace identifiers = ::hadoop::identifiers;

Error corrupt_identifier(std::string_view what) {
  return {Errc::Corrupt, Blame::Cluster,
          fmt::format("the identifier of {} token cannot be read", what)};
}

template <class Message>
bool parse(Message& message, std::string_view bytes) {
  return bytes.size() <= static_cast<size_t>(std::numeric_limits<int>::max()) &&
         message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

/// Converts milliseconds since 1970, at most 146,000 years away: up to there the difference of two
/// times fits our clock.
WallTime wall(int64_t milliseconds) {
  constexpr Duration kFarthest = Duration::max() / 2;
  constexpr auto kLast = std::chrono::duration_cast<std::chrono::milliseconds>(kFarthest).count();
  return WallTime(std::chrono::milliseconds(std::clamp(milliseconds, -kLast, kLast)));
}

AttemptName attempt_of(const identifiers::ApplicationAttemptId& id) {
  return {.cluster_timestamp = id.application_id().cluster_timestamp(),
          .application = id.application_id().id(),
          .attempt = id.attemptid()};
}

/// HDFS and KMS write it as Writables; YARN did so before 2.6.
Result<DelegationIdentifier> decode_writable_delegation(std::string_view bytes) {
  WritableReader reader(bytes);
  DelegationIdentifier out;
  MUSTER_TRY(const uint8_t version, reader.byte());
  if (version != 0) {
    return corrupt_identifier("a delegation");
  }
  MUSTER_TRY(out.owner, reader.bytes());
  MUSTER_TRY(out.renewer, reader.bytes());
  MUSTER_TRY(out.real_user, reader.bytes());
  MUSTER_TRY(const int64_t issued, reader.vlong());
  MUSTER_TRY(const int64_t ends, reader.vlong());
  MUSTER_TRY(out.sequence, reader.vint());
  MUSTER_TRY(out.key_id, reader.vint());
  out.issued = wall(issued);
  out.ends = wall(ends);
  return out;
}

Result<BlockIdentifier> decode_old_block(std::string_view bytes) {
  WritableReader reader(bytes);
  BlockIdentifier out;
  MUSTER_TRY(const int64_t expires, reader.vlong());
  out.expires = wall(expires);
  MUSTER_TRY(out.key_id, reader.vint());
  MUSTER_TRY(out.user, reader.int32_bytes());
  MUSTER_TRY(out.pool, reader.int32_bytes());
  MUSTER_TRY(out.block, reader.vlong());
  MUSTER_TRY(const uint32_t modes, reader.count(1));
  for (uint32_t i = 0; i < modes; ++i) {
    MUSTER_TRY(const std::string_view mode, reader.bytes());
    out.modes.emplace_back(mode);
  }
  // What follows came with later versions: storage types, storage ids, the handshake's secret.
  if (reader.at_end()) {
    return out;
  }
  MUSTER_TRY(const uint32_t types, reader.count(1));
  for (uint32_t i = 0; i < types; ++i) {
    MUSTER_TRY([[maybe_unused]] const std::string_view type, reader.bytes());
  }
  if (reader.at_end()) {
    return out;
  }
  MUSTER_TRY(const uint32_t ids, reader.count(4));
  for (uint32_t i = 0; i < ids; ++i) {
    MUSTER_TRY([[maybe_unused]] const std::string_view storage_id, reader.int32_bytes());
  }
  if (!reader.at_end()) {
    MUSTER_TRY(const std::string_view secret, reader.bytes());
    out.handshake_secret = Secret(std::string(secret));
  }
  return out;
}

std::string_view mode_name(int mode) {
  constexpr std::string_view kNames[] = {"UNKNOWN", "READ", "WRITE", "COPY", "REPLACE"};
  return mode >= 0 && mode < static_cast<int>(std::size(kNames)) ? kNames[mode] : "UNKNOWN";
}

}  // namespace

std::string to_string(const AttemptName& attempt) {
  return fmt::format("appattempt_{}_{:04}_{:06}", attempt.cluster_timestamp, attempt.application,
                     attempt.attempt);
}

Result<DelegationIdentifier> decode_delegation_identifier(const Token& token) {
  const bool yarn =
      token.kind == token_kind::kResourceManager || token.kind == token_kind::kTimeline;
  if (!yarn || token.identifier.starts_with('\0')) {
    return decode_writable_delegation(token.identifier);
  }
  identifiers::YARNDelegationTokenIdentifier message;
  if (!parse(message, token.identifier)) {
    return corrupt_identifier("a delegation");
  }
  return DelegationIdentifier{.owner = message.owner(),
                              .renewer = message.renewer(),
                              .real_user = message.realuser(),
                              .issued = wall(message.issuedate()),
                              .ends = wall(message.maxdate()),
                              .sequence = message.sequencenumber(),
                              .key_id = message.masterkeyid()};
}

Result<AmRmIdentifier> decode_am_rm_identifier(std::string_view identifier) {
  identifiers::AMRMTokenIdentifier message;
  if (!parse(message, identifier)) {
    return corrupt_identifier("an application master's");
  }
  return AmRmIdentifier{.attempt = attempt_of(message.appattemptid()), .key_id = message.keyid()};
}

Result<NodeManagerIdentifier> decode_node_manager_identifier(std::string_view identifier) {
  identifiers::NMTokenIdentifier message;
  if (!parse(message, identifier)) {
    return corrupt_identifier("a NodeManager");
  }
  return NodeManagerIdentifier{.attempt = attempt_of(message.appattemptid()),
                               .host = message.nodeid().host(),
                               .port = message.nodeid().port(),
                               .submitter = message.appsubmitter(),
                               .key_id = message.keyid()};
}

Result<ContainerIdentifier> decode_container_identifier(std::string_view identifier) {
  identifiers::ContainerTokenIdentifier message;
  if (!parse(message, identifier)) {
    return corrupt_identifier("a container");
  }
  return ContainerIdentifier{.attempt = attempt_of(message.containerid().app_attempt_id()),
                             .container = message.containerid().id(),
                             .node_address = message.nmhostaddr(),
                             .submitter = message.appsubmitter(),
                             .memory_mb = message.resource().memory(),
                             .vcores = message.resource().virtual_cores(),
                             .expires = wall(message.expirytimestamp()),
                             .key_id = message.masterkeyid(),
                             .resource_manager = message.rmidentifier()};
}

Result<BlockIdentifier> decode_block_identifier(std::string_view identifier) {
  // A protobuf begins with the tag of its first field, the older form with a number of several
  // bytes whose first is negative.
  if (identifier.empty() || static_cast<int8_t>(identifier[0]) <= 0) {
    return decode_old_block(identifier);
  }
  identifiers::BlockTokenSecret message;
  if (!parse(message, identifier)) {
    return corrupt_identifier("a block");
  }
  BlockIdentifier out{.expires = wall(static_cast<int64_t>(message.expirydate())),
                      .key_id = static_cast<int32_t>(message.keyid()),
                      .user = message.userid(),
                      .pool = message.blockpoolid(),
                      .block = static_cast<int64_t>(message.blockid()),
                      .modes = {},
                      .handshake_secret = Secret(message.handshakesecret())};
  for (const int mode : message.modes()) {
    out.modes.emplace_back(mode_name(mode));
  }
  return out;
}

namespace {

std::string age(WallTime when, WallTime now, std::string_view past, std::string_view future) {
  return when <= now ? fmt::format("{} {} ago", past, format_duration(now - when))
                     : fmt::format("{} in {}", future, format_duration(when - now));
}

std::string say(const DelegationIdentifier& id, WallTime now) {
  std::string out = fmt::format(" of {}", printable(id.owner));
  if (!id.real_user.empty()) {
    out += fmt::format(" (obtained by {})", printable(id.real_user));
  }
  out += id.renewer.empty() ? std::string(", not renewable")
                            : fmt::format(", renewed by {}", printable(id.renewer));
  return fmt::format("{}, {}, {}", out, age(id.issued, now, "issued", "issued"),
                     age(id.ends, now, "expired", "ends"));
}

/// Returns what the identifier says; empty for kinds that are not known here.
Result<std::string> details(const Token& token, WallTime now) {
  const std::string_view kind = token.kind;
  if (kind == token_kind::kHdfs || kind == token_kind::kWebHdfs ||
      kind == token_kind::kSecureWebHdfs || kind == token_kind::kKms ||
      kind == token_kind::kResourceManager || kind == token_kind::kTimeline) {
    MUSTER_TRY(const DelegationIdentifier id, decode_delegation_identifier(token));
    return say(id, now);
  }
  if (kind == token_kind::kAmRm) {
    MUSTER_TRY(const AmRmIdentifier id, decode_am_rm_identifier(token.identifier));
    return fmt::format(" of {}", to_string(id.attempt));
  }
  if (kind == token_kind::kNodeManager) {
    MUSTER_TRY(const NodeManagerIdentifier id, decode_node_manager_identifier(token.identifier));
    return fmt::format(" of {} for the node {}:{}", to_string(id.attempt), printable(id.host),
                       id.port);
  }
  if (kind == token_kind::kContainer) {
    MUSTER_TRY(const ContainerIdentifier id, decode_container_identifier(token.identifier));
    return fmt::format(" of {}, container {} on {}, {}", to_string(id.attempt),
                       id.container & 0xFFFFFFFFFF, printable(id.node_address),
                       age(id.expires, now, "expired", "ends"));
  }
  if (kind == token_kind::kBlock) {
    MUSTER_TRY(const BlockIdentifier id, decode_block_identifier(token.identifier));
    return fmt::format(" of {}, block {} of {}, {}", printable(id.user), id.block,
                       printable(id.pool), age(id.expires, now, "expired", "ends"));
  }
  return std::string();
}

}  // namespace

std::string describe(const Token& token, WallTime now) {
  std::string out =
      token.kind.empty() ? std::string("token without a kind") : printable(token.kind);
  if (!token.service.empty()) {
    out += fmt::format(" for {}", printable(token.service));
  }
  const Result<std::string> more = details(token, now);
  return more ? out + *more : fmt::format("{} ({})", out, more.error().message);
}

}  // namespace muster::hadoop
