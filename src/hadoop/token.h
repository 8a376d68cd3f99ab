#pragma once

#include "base/result.h"
#include "hadoop/secret.h"

#include <string>
#include <string_view>

namespace muster::hadoop {

/// What a server handed out so that its holder can be recognized. Servers sign the identifier: it
/// is passed on bit by bit, never rebuilt from what token_identifier.h reads in it.
struct Token {
  std::string identifier;  ///< Raw bytes.
  Secret password;
  std::string kind;     ///< One of token_kind, or a foreign one.
  std::string service;  ///< Who accepts it; token_service.h has the forms.
  bool operator==(const Token&) const = default;
};

namespace token_kind {
inline constexpr std::string_view kHdfs = "HDFS_DELEGATION_TOKEN";
inline constexpr std::string_view kWebHdfs = "WEBHDFS delegation";
inline constexpr std::string_view kSecureWebHdfs = "SWEBHDFS delegation";
inline constexpr std::string_view kKms = "kms-dt";
inline constexpr std::string_view kBlock = "HDFS_BLOCK_TOKEN";
inline constexpr std::string_view kResourceManager = "RM_DELEGATION_TOKEN";
inline constexpr std::string_view kTimeline = "TIMELINE_DELEGATION_TOKEN";
inline constexpr std::string_view kAmRm = "YARN_AM_RM_TOKEN";
inline constexpr std::string_view kNodeManager = "NMToken";
inline constexpr std::string_view kContainer = "ContainerToken";
}  // namespace token_kind

/// The form in which tokens travel in URLs (WebHDFS `delegation=`, hadoop.tokens): Writable,
/// URL-safe base64 without padding.
[[nodiscard]] std::string encode_url_token(const Token& token);

}  // namespace muster::hadoop
