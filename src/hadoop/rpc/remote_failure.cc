#include "hadoop/rpc/remote_failure.h"

#include "base/text.h"

#include <fmt/format.h>

#include <array>
#include <hadoop/rpc.pb.h>
#include <string>

namespace muster::hadoop::rpc {
namespace {

using Header = ::hadoop::common::RpcResponseHeaderProto;

/// The meaning of the classes that callers or users react to. The rest is Other, to be fixed in the
/// cluster.
struct Meaning {
  std::string_view name;  ///< Of the class, without its package.
  Errc code;
  Blame blame;
};

constexpr std::array kMeanings = {
    Meaning{"AccessControlException", Errc::PermissionDenied, Blame::User},
    Meaning{"AuthorizationException", Errc::PermissionDenied, Blame::User},
    Meaning{"FileNotFoundException", Errc::NotFound, Blame::User},
    Meaning{"ApplicationNotFoundException", Errc::NotFound, Blame::User},
    Meaning{"ApplicationAttemptNotFoundException", Errc::NotFound, Blame::User},
    Meaning{"ContainerNotFoundException", Errc::NotFound, Blame::User},
    Meaning{"FileAlreadyExistsException", Errc::AlreadyExists, Blame::User},
    Meaning{"AlreadyBeingCreatedException", Errc::AlreadyExists, Blame::User},
    Meaning{"PathIsNotEmptyDirectoryException", Errc::InvalidArgument, Blame::User},
    Meaning{"ParentNotDirectoryException", Errc::InvalidArgument, Blame::User},
    Meaning{"PathIsNotDirectoryException", Errc::InvalidArgument, Blame::User},
    Meaning{"InvalidPathException", Errc::InvalidArgument, Blame::User},
    Meaning{"IllegalArgumentException", Errc::InvalidArgument, Blame::User},
    Meaning{"HadoopIllegalArgumentException", Errc::InvalidArgument, Blame::User},
    Meaning{"FSLimitException$PathComponentTooLongException", Errc::InvalidArgument, Blame::User},
    Meaning{"FSLimitException$MaxDirectoryItemsExceededException", Errc::OutOfSpace, Blame::User},
    Meaning{"QuotaExceededException", Errc::OutOfSpace, Blame::User},
    Meaning{"NSQuotaExceededException", Errc::OutOfSpace, Blame::User},
    Meaning{"DSQuotaExceededException", Errc::OutOfSpace, Blame::User},
    Meaning{"QuotaByStorageTypeExceededException", Errc::OutOfSpace, Blame::User},
    Meaning{"InvalidResourceRequestException", Errc::NeverFits, Blame::User},
    Meaning{"InvalidLabelResourceRequestException", Errc::NeverFits, Blame::User},
    Meaning{"SecretManager$InvalidToken", Errc::Unauthenticated, Blame::User},
    Meaning{"SaslException", Errc::Unauthenticated, Blame::User},
    Meaning{"StandbyException", Errc::Unavailable, Blame::Cluster},
    Meaning{"ObserverRetryOnActiveException", Errc::Unavailable, Blame::Cluster},
    Meaning{"RetriableException", Errc::Unavailable, Blame::Cluster},
    Meaning{"SafeModeException", Errc::Unavailable, Blame::Cluster},
    Meaning{"NotReplicatedYetException", Errc::Unavailable, Blame::Cluster},
    Meaning{"RetryStartFileException", Errc::Unavailable, Blame::Cluster},
    Meaning{"NMNotYetReadyException", Errc::Unavailable, Blame::Cluster},
    Meaning{"UnsupportedOperationException", Errc::Unsupported, Blame::Cluster},
    Meaning{"RpcNoSuchMethodException", Errc::Unsupported, Blame::Cluster},
    Meaning{"RpcNoSuchProtocolException", Errc::Unsupported, Blame::Cluster},
    Meaning{"RPC$VersionMismatch", Errc::Unsupported, Blame::Cluster},
};

std::string_view simple_name(std::string_view java_class) {
  const size_t dot = java_class.rfind('.');
  return dot == std::string_view::npos ? java_class : java_class.substr(dot + 1);
}

/// Returns the first line, without a leading "some.java.Class: " left there by wrapping.
std::string first_line(std::string_view text, std::string_view java_class) {
  std::string_view line = trim(text.substr(0, text.find('\n')));
  if (!java_class.empty() && line.starts_with(java_class)) {
    line.remove_prefix(java_class.size());
    if (line.starts_with(": ")) {
      line.remove_prefix(2);
    }
  }
  std::string message = printable(line);
  while (message.ends_with('.')) {
    message.pop_back();
  }
  return message;
}

/// Returns what users can do about it, to follow the message; "" if the message says it all.
std::string advice(std::string_view name, std::string_view message) {
  if (name == "SecretManager$InvalidToken") {
    return "; get a new token, or unset HADOOP_TOKEN_FILE_LOCATION to use a ticket";
  }
  if (message.contains(" is not allowed to impersonate ")) {
    std::string_view user = message.substr(0, message.find(" is not allowed"));
    user = user.substr(user.starts_with("User: ") ? 6 : 0);
    return fmt::format(
        "; the cluster's administrator can allow it with hadoop.proxyuser.{}.hosts and .groups",
        user.substr(0, user.find_first_of("/@")));
  }
  return "";
}

/// Narrows down a header's error whose class is not in the table.
Errc code_of(Header::RpcErrorCodeProto detail) {
  switch (detail) {
    case Header::ERROR_NO_SUCH_METHOD:
    case Header::ERROR_NO_SUCH_PROTOCOL:
    case Header::ERROR_RPC_VERSION_MISMATCH:
    case Header::FATAL_VERSION_MISMATCH:
      return Errc::Unsupported;
    case Header::FATAL_UNAUTHORIZED:
      return Errc::PermissionDenied;
    case Header::ERROR_APPLICATION:
    case Header::ERROR_RPC_SERVER:
    case Header::ERROR_SERIALIZING_RESPONSE:
    case Header::FATAL_UNKNOWN:
    case Header::FATAL_UNSUPPORTED_SERIALIZATION:
    case Header::FATAL_INVALID_RPC_HEADER:
    case Header::FATAL_DESERIALIZING_REQUEST:
      return Errc::Other;
  }
  return Errc::Other;
}

}  // namespace

Failure remote_failure(std::string_view what, std::string_view exception_class,
                       std::string_view text) {
  const std::string_view name = simple_name(exception_class);
  std::string message = first_line(text, exception_class);
  if (message.empty()) {
    message = "no details given";
  }
  Failure failure(cluster_error(
      fmt::format("{}: {} ({}){}", what, message,
                  name.empty() ? "no exception given" : printable(name), advice(name, message)),
      Errc::Other));
  failure.exception_class = exception_class;
  for (const Meaning& meaning : kMeanings) {
    if (meaning.name == name) {
      failure.error.code = meaning.code;
      failure.error.blame = meaning.blame;
    }
  }
  return failure;
}

Failure remote_failure(std::string_view what, const Header& header) {
  Failure failure = remote_failure(what, header.exceptionclassname(), header.errormsg());
  if (failure.error.code == Errc::Other && header.has_errordetail()) {
    failure.error.code = code_of(header.errordetail());
  }
  if (header.errordetail() == Header::FATAL_VERSION_MISMATCH) {
    failure.error.message += fmt::format(
        "; the server speaks IPC version {}, this program version 9 (Hadoop 2.10 to 3.4)",
        header.serveripcversionnum());
  }
  return failure;
}

}  // namespace muster::hadoop::rpc
