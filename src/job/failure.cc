#include "job/failure.h"

#include "base/check.h"

namespace muster::job {

std::string_view to_string(FailureKind value) {
  switch (value) {
    case FailureKind::User:
      return "user";
    case FailureKind::Program:
      return "program";
    case FailureKind::PeerLoss:
      return "peer_loss";
    case FailureKind::Resource:
      return "resource";
    case FailureKind::Infrastructure:
      return "infrastructure";
    case FailureKind::Stopped:
      return "stopped";
  }
  MUSTER_CHECK(false, "unknown FailureKind");
}

std::string_view to_string(Remedy value) {
  switch (value) {
    case Remedy::Restart:
      return "restart";
    case Remedy::NewPorts:
      return "new_ports";
    case Remedy::Elsewhere:
      return "elsewhere";
    case Remedy::GiveUp:
      return "give_up";
  }
  MUSTER_CHECK(false, "unknown Remedy");
}

std::string_view to_string(Part value) {
  switch (value) {
    case Part::Origin:
      return "origin";
    case Part::Victim:
      return "victim";
    case Part::Stopped:
      return "stopped";
  }
  MUSTER_CHECK(false, "unknown Part");
}

}  // namespace muster::job
