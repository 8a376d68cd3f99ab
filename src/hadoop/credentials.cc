#include "hadoop/credentials.h"

#include "hadoop/writable.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <hadoop/security.pb.h>
#include <utility>

namespace muster::hadoop {
namespace {

namespace common = ::hadoop::common;

constexpr std::string_view kMagic = "HDTS";
constexpr uint32_t kEntriesMax = 10'000;  ///< Of each kind: finding an alias takes linear time.

Error corrupt_token_file(std::string message) {
  return {Errc::Corrupt, Blame::User, std::move(message)};
}

template <class Named>
Named* find_alias(std::vector<Named>& all, std::string_view alias) {
  const auto found = std::ranges::find(all, alias, &Named::alias);
  return found == all.end() ? nullptr : &*found;
}

Result<Token> read_token(WritableReader& reader) {
  Token token;
  MUSTER_TRY(token.identifier, reader.bytes());
  MUSTER_TRY(const std::string_view password, reader.bytes());
  token.password = Secret(std::string(password));
  MUSTER_TRY(token.kind, reader.bytes());
  MUSTER_TRY(token.service, reader.bytes());
  return token;
}

Status check_count(uint64_t count) {
  return count <= kEntriesMax ? Status()
                              : corrupt_token_file(fmt::format(
                                    "it has {} entries; at most {} are read", count, kEntriesMax));
}

Result<Credentials> decode_writable(WritableReader& reader) {
  Credentials out;
  // The smallest token takes five empty texts, the smallest secret two.
  MUSTER_TRY(const uint32_t tokens, reader.count(5));
  MUSTER_TRY_STATUS(check_count(tokens));
  for (uint32_t i = 0; i < tokens; ++i) {
    MUSTER_TRY(const std::string_view alias, reader.bytes());
    MUSTER_TRY(Token token, read_token(reader));
    out.add(std::string(alias), std::move(token));
  }
  MUSTER_TRY(const uint32_t secrets, reader.count(2));
  MUSTER_TRY_STATUS(check_count(secrets));
  for (uint32_t i = 0; i < secrets; ++i) {
    MUSTER_TRY(const std::string_view alias, reader.bytes());
    MUSTER_TRY(const std::string_view secret, reader.bytes());
    out.add_secret(std::string(alias), Secret(std::string(secret)));
  }
  return out;
}

Result<Credentials> decode_protobuf(WritableReader& reader) {
  MUSTER_TRY(const std::string_view bytes, reader.delimited());
  common::CredentialsProto message;
  if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return corrupt_token_file("damaged: its protobuf message cannot be read");
  }
  MUSTER_TRY_STATUS(check_count(static_cast<uint64_t>(message.tokens_size())));
  MUSTER_TRY_STATUS(check_count(static_cast<uint64_t>(message.secrets_size())));
  Credentials out;
  for (const common::CredentialsKVProto& entry : message.tokens()) {
    if (!entry.has_token()) {
      return corrupt_token_file("damaged: an entry for a token has no token");
    }
    const common::TokenProto& token = entry.token();
    out.add(entry.alias(), {.identifier = token.identifier(),
                            .password = Secret(token.password()),
                            .kind = token.kind(),
                            .service = token.service()});
  }
  for (const common::CredentialsKVProto& entry : message.secrets()) {
    out.add_secret(entry.alias(), Secret(entry.secret()));
  }
  return out;
}

void encode_writable(const Credentials& credentials, WritableWriter& writer) {
  writer.vlong(static_cast<int64_t>(credentials.tokens().size()));
  for (const NamedToken& named : credentials.tokens()) {
    writer.bytes(named.alias);
    writer.bytes(named.token.identifier);
    writer.bytes(named.token.password.reveal());
    writer.bytes(named.token.kind);
    writer.bytes(named.token.service);
  }
  writer.vlong(static_cast<int64_t>(credentials.secrets().size()));
  for (const NamedSecret& named : credentials.secrets()) {
    writer.bytes(named.alias);
    writer.bytes(named.secret.reveal());
  }
}

void encode_protobuf(const Credentials& credentials, WritableWriter& writer) {
  common::CredentialsProto message;
  for (const NamedToken& named : credentials.tokens()) {
    common::CredentialsKVProto* entry = message.add_tokens();
    entry->set_alias(named.alias);
    common::TokenProto* token = entry->mutable_token();
    token->set_identifier(named.token.identifier);
    token->set_password(named.token.password.reveal());
    token->set_kind(named.token.kind);
    token->set_service(named.token.service);
  }
  for (const NamedSecret& named : credentials.secrets()) {
    common::CredentialsKVProto* entry = message.add_secrets();
    entry->set_alias(named.alias);
    entry->set_secret(named.secret.reveal());
  }
  writer.delimited(message.SerializeAsString());
}

}  // namespace

void Credentials::add(std::string alias, Token token) {
  if (NamedToken* present = find_alias(tokens_, alias); present != nullptr) {
    present->token = std::move(token);
    return;
  }
  tokens_.push_back({.alias = std::move(alias), .token = std::move(token)});
}

void Credentials::add_secret(std::string alias, Secret secret) {
  if (NamedSecret* present = find_alias(secrets_, alias); present != nullptr) {
    present->secret = std::move(secret);
    return;
  }
  secrets_.push_back({.alias = std::move(alias), .secret = std::move(secret)});
}

void Credentials::add_all(const Credentials& other) {
  for (const NamedToken& named : other.tokens_) {
    add(named.alias, named.token);
  }
  for (const NamedSecret& named : other.secrets_) {
    add_secret(named.alias, named.secret);
  }
}

void Credentials::remove_kind(std::string_view kind) {
  std::erase_if(tokens_, [&](const NamedToken& named) { return named.token.kind == kind; });
}

const Secret* Credentials::find_secret(std::string_view alias) const {
  const auto found = std::ranges::find(secrets_, alias, &NamedSecret::alias);
  return found == secrets_.end() ? nullptr : &found->secret;
}

Result<Credentials> decode_credentials(std::string_view bytes) {
  if (bytes.size() < kMagic.size() + 1 || !bytes.starts_with(kMagic)) {
    return corrupt_token_file("not a Hadoop token file: it does not begin with HDTS");
  }
  WritableReader reader(bytes.substr(kMagic.size()));
  MUSTER_TRY(const uint8_t format, reader.byte());
  if (format == static_cast<uint8_t>(CredentialsFormat::Writable)) {
    return decode_writable(reader);
  }
  if (format == static_cast<uint8_t>(CredentialsFormat::Protobuf)) {
    return decode_protobuf(reader);
  }
  return corrupt_token_file(
      fmt::format("a Hadoop token file of format {}; only 0 and 1 are supported", format));
}

std::string encode_credentials(const Credentials& credentials, CredentialsFormat format) {
  WritableWriter writer;
  writer.raw(kMagic);
  writer.byte(static_cast<uint8_t>(format));
  switch (format) {
    case CredentialsFormat::Writable:
      encode_writable(credentials, writer);
      break;
    case CredentialsFormat::Protobuf:
      encode_protobuf(credentials, writer);
      break;
  }
  return writer.take();
}

}  // namespace muster::hadoop
