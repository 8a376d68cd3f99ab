#include "base/error.h"

#include <cerrno>
#include <system_error>

namespace muster {

Error Error::within(std::string_view context) const {
  return Error{code, blame, std::string(context) + ": " + message};
}

Error user_error(std::string message, Errc code) {
  return Error{code, Blame::User, std::move(message)};
}

Error cluster_error(std::string message, Errc code) {
  return Error{code, Blame::Cluster, std::move(message)};
}

Error bug(std::string message) { return Error{Errc::Other, Blame::Muster, std::move(message)}; }

namespace {

Errc code_of(int errno_value) {
  switch (errno_value) {
    case ENOENT:
    case ESRCH:
      return Errc::NotFound;
    case EEXIST:
      return Errc::AlreadyExists;
    case EACCES:
    case EPERM:
    case EROFS:
      return Errc::PermissionDenied;
    case ENOSPC:
    case EDQUOT:
      return Errc::OutOfSpace;
    case ETIMEDOUT:
      return Errc::DeadlineExceeded;
    case ECONNREFUSED:
    case ECONNRESET:
    case EPIPE:
    case EHOSTUNREACH:
    case ENETUNREACH:
      return Errc::Unavailable;
    case ENOSYS:
    case ENOTSUP:
      return Errc::Unsupported;
    default:
      return Errc::Other;
  }
}

}  // namespace

Error system_error(int errno_value, std::string_view what) {
  return Error{code_of(errno_value), Blame::Cluster,
               std::string(what) + ": " + std::generic_category().message(errno_value)};
}

std::string_view to_string(Blame blame) {
  switch (blame) {
    case Blame::User:
      return "user";
    case Blame::Program:
      return "program";
    case Blame::Cluster:
      return "cluster";
    case Blame::Muster:
      return "muster";
  }
  return "?";
}

std::string_view to_string(Errc code) {
  switch (code) {
    case Errc::Other:
      return "other";
    case Errc::InvalidArgument:
      return "invalid_argument";
    case Errc::NotFound:
      return "not_found";
    case Errc::AlreadyExists:
      return "already_exists";
    case Errc::PermissionDenied:
      return "permission_denied";
    case Errc::Unavailable:
      return "unavailable";
    case Errc::DeadlineExceeded:
      return "deadline_exceeded";
    case Errc::Cancelled:
      return "cancelled";
    case Errc::Corrupt:
      return "corrupt";
    case Errc::OutOfSpace:
      return "out_of_space";
    case Errc::NeverFits:
      return "never_fits";
    case Errc::Unauthenticated:
      return "unauthenticated";
    case Errc::Unsupported:
      return "unsupported";
  }
  return "?";
}

}  // namespace muster
