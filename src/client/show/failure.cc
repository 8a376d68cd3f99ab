#include "client/show/failure.h"

#include <string>

namespace muster::client {

int exit_status_of(const Error& error) {
  if (error.code == Errc::NeverFits || error.code == Errc::OutOfSpace ||
      error.code == Errc::PermissionDenied) {
    return error.code == Errc::PermissionDenied && error.blame == Blame::User ? kBadUsage
                                                                              : kCouldNotStart;
  }
  switch (error.blame) {
    case Blame::User:
      return kBadUsage;
    case Blame::Program:
      return 1;
    case Blame::Cluster:
      return kCouldNotStart;
    case Blame::Muster:
      return kBug;
  }
  return kBug;
}

int fail(Console& console, const Error& error) {
  const bool positioned = error.message.find(": error: ") != std::string::npos;
  console.err((positioned ? "" : "muster: ") + error.message + "\n");
  if (error.blame == Blame::Muster) {
    console.err(
        "muster: this is a bug in Muster; please report it with the command that led here\n");
  }
  return exit_status_of(error);
}

}  // namespace muster::client
