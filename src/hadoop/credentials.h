#pragma once

#include "base/result.h"
#include "hadoop/token.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace muster::hadoop {

/// A token under the name by which its holder keeps it: its service, as Hadoop does; empty for the
/// token of an application master.
struct NamedToken {
  std::string alias;
  Token token;
  bool operator==(const NamedToken&) const = default;
};

/// Bytes shared by those who hold the same credentials.
struct NamedSecret {
  std::string alias;
  Secret secret;
  bool operator==(const NamedSecret&) const = default;
};

/// Tokens and secrets as they travel in files and container launch contexts. One of each alias.
class Credentials {
 public:
  /// Adds a token; one of the same alias is replaced, in its place.
  void add(std::string alias, Token token);
  void add_secret(std::string alias, Secret secret);
  /// Adds all of `other`; its tokens and secrets replace those of the same alias.
  void add_all(const Credentials& other);
  /// Removes every token of a kind: the application master's own stays out of its containers.
  void remove_kind(std::string_view kind);

  [[nodiscard]] const std::vector<NamedToken>& tokens() const { return tokens_; }
  [[nodiscard]] const std::vector<NamedSecret>& secrets() const { return secrets_; }
  /// nullptr if there is none.
  [[nodiscard]] const Secret* find_secret(std::string_view alias) const;
  bool operator==(const Credentials&) const = default;

 private:
  std::vector<NamedToken> tokens_;
  std::vector<NamedSecret> secrets_;
};

/// Both are read everywhere since Hadoop 3; only Writable before.
enum class CredentialsFormat : uint8_t { Writable = 0, Protobuf = 1 };

/// Decodes a token file or the `tokens` of a container launch context, of either format. Corrupt
/// when it is neither, or damaged; the message names the byte. What follows is ignored, as in
/// Hadoop.
[[nodiscard]] Result<Credentials> decode_credentials(std::string_view bytes);
[[nodiscard]] std::string encode_credentials(
    const Credentials& credentials, CredentialsFormat format = CredentialsFormat::Writable);

}  // namespace muster::hadoop
