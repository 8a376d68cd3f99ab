#include "base/text.h"
#include "hadoop/hdfs/names/name_node.h"

#include <fmt/format.h>

#include <array>

namespace muster::hadoop::hdfs {
namespace {

struct Meaning {
  std::string_view java_class;
  Errc code;
  Blame blame;
  std::string_view advice;
};

constexpr std::array kMeanings = {
    Meaning{"FileNotFoundException", Errc::NotFound, Blame::User, ""},
    Meaning{"FileAlreadyExistsException", Errc::AlreadyExists, Blame::User, ""},
    Meaning{"PathIsNotEmptyDirectoryException", Errc::AlreadyExists, Blame::User,
            "remove it with everything in it (rm -r), or name another"},
    Meaning{"ParentNotDirectoryException", Errc::InvalidArgument, Blame::User,
            "a part of the path is a file"},
    Meaning{"InvalidPathException", Errc::InvalidArgument, Blame::User, ""},
    Meaning{"UnresolvedPathException", Errc::Unsupported, Blame::User,
            "symbolic links in HDFS are not followed; name the target instead"},
    Meaning{
        "AccessControlException", Errc::PermissionDenied, Blame::User,
        "ask the owner of the path, or act as another user (HADOOP_USER_NAME without Kerberos)"},
    Meaning{"NSQuotaExceededException", Errc::OutOfSpace, Blame::User,
            "remove files there or ask for a larger name quota"},
    Meaning{"DSQuotaExceededException", Errc::OutOfSpace, Blame::User,
            "remove files there or ask for a larger space quota"},
    Meaning{"QuotaByStorageTypeExceededException", Errc::OutOfSpace, Blame::User,
            "remove files there or ask for a larger space quota"},
    Meaning{"FSLimitException$PathComponentTooLongException", Errc::InvalidArgument, Blame::User,
            "choose a shorter name"},
    Meaning{"FSLimitException$MaxDirectoryItemsExceededException", Errc::OutOfSpace, Blame::User,
            "spread the files over several folders"},
    Meaning{"AlreadyBeingCreatedException", Errc::AlreadyExists, Blame::Cluster,
            "another client is writing it; wait until it has finished, or remove the file"},
    Meaning{"RecoveryInProgressException", Errc::Unavailable, Blame::Cluster,
            "the file of a lost writer is being closed; try again in a minute"},
    Meaning{"LeaseExpiredException", Errc::Cancelled, Blame::Cluster,
            "another client has taken the file over or removed it"},
    Meaning{"SafeModeException", Errc::Unavailable, Blame::Cluster,
            "the NameNode is starting or waiting for DataNodes; try again later, or ask an "
            "administrator to run `hdfs dfsadmin -safemode get`"},
    Meaning{"StandbyException", Errc::Unavailable, Blame::Cluster,
            "no NameNode is active; try again later"},
    Meaning{"RetriableException", Errc::Unavailable, Blame::Cluster, "try again later"},
    Meaning{"SecretManager$InvalidToken", Errc::Unauthenticated, Blame::User,
            "get a new delegation token"},
    Meaning{"HadoopIllegalArgumentException", Errc::InvalidArgument, Blame::User, ""},
    Meaning{"UnknownCryptoProtocolVersionException", Errc::Unsupported, Blame::User,
            "files in encryption zones are not supported"},
};

/// Exceptions without a class of their own, recognised by their texts.
std::optional<Meaning> meaning_of_text(std::string_view text) {
  if (text.find("could only be written to") != std::string_view::npos ||
      text.find("could only be replicated to") != std::string_view::npos) {
    return Meaning{"", Errc::OutOfSpace, Blame::Cluster,
                   "no DataNode accepts the block: they are full, dead or excluded; see `hdfs "
                   "dfsadmin -report`"};
  }
  if (text.find("but not UNDER_CONSTRUCTION") != std::string_view::npos) {
    return Meaning{"", Errc::Cancelled, Blame::Cluster, "another client has taken the file over"};
  }
  if (text.find("Path is not a file") != std::string_view::npos) {
    return Meaning{"", Errc::InvalidArgument, Blame::User, "it is a folder"};
  }
  if (text.find("is a directory or file under source") != std::string_view::npos) {
    return Meaning{"", Errc::InvalidArgument, Blame::User, "a folder cannot be below itself"};
  }
  return std::nullopt;
}

Meaning meaning_of(const rpc::Failure& failure) {
  if (const auto by_text = meaning_of_text(failure.error.message)) {
    return *by_text;
  }
  for (const Meaning& meaning : kMeanings) {
    if (failure.is(meaning.java_class)) {
      return meaning;
    }
  }
  return {"", failure.error.code, failure.error.blame, ""};
}

}  // namespace

Error explain(const rpc::Failure& failure, std::string_view what) {
  if (failure.exception_class.empty()) {
    return failure.error.within(what);
  }
  const Meaning meaning = meaning_of(failure);
  const std::string_view separator = meaning.advice.empty() ? "" : "; ";
  return Error{
      meaning.code, meaning.blame,
      fmt::format("{}: {}{}{}", what, printable(failure.error.message), separator, meaning.advice)};
}

}  // namespace muster::hadoop::hdfs
