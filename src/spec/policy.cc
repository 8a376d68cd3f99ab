#include "spec/policy.h"

#include "base/check.h"

namespace muster::spec {

std::string_view to_string(Framework value) {
  switch (value) {
    case Framework::Generic:
      return "generic";
    case Framework::Tensorflow:
      return "tensorflow";
    case Framework::Pytorch:
      return "pytorch";
    case Framework::Horovod:
      return "horovod";
    case Framework::Mxnet:
      return "mxnet";
    case Framework::Jax:
      return "jax";
    case Framework::Standalone:
      return "standalone";
  }
  MUSTER_CHECK(false, "unknown Framework");
}

std::string_view to_string(Barrier value) {
  switch (value) {
    case Barrier::Gang:
      return "gang";
    case Barrier::AsGranted:
      return "as_granted";
  }
  MUSTER_CHECK(false, "unknown Barrier");
}

std::string_view to_string(Membership value) {
  switch (value) {
    case Membership::Static:
      return "static";
    case Membership::Rejoin:
      return "rejoin";
    case Membership::Elastic:
      return "elastic";
    case Membership::Independent:
      return "independent";
  }
  MUSTER_CHECK(false, "unknown Membership");
}

std::string_view to_string(Success value) {
  switch (value) {
    case Success::Required:
      return "required";
    case Success::EndsJob:
      return "ends_job";
    case Success::Ignored:
      return "ignored";
  }
  MUSTER_CHECK(false, "unknown Success");
}

std::string_view to_string(Failure value) {
  switch (value) {
    case Failure::FailsJob:
      return "fails_job";
    case Failure::Tolerated:
      return "tolerated";
    case Failure::Ignored:
      return "ignored";
  }
  MUSTER_CHECK(false, "unknown Failure");
}

std::string_view to_string(Condition value) {
  switch (value) {
    case Condition::Ended:
      return "ended";
    case Condition::Running:
      return "running";
    case Condition::Succeeded:
      return "succeeded";
  }
  MUSTER_CHECK(false, "unknown Condition");
}

std::string_view to_string(StallAction value) {
  switch (value) {
    case StallAction::Report:
      return "report";
    case StallAction::Restart:
      return "restart";
    case StallAction::Fail:
      return "fail";
  }
  MUSTER_CHECK(false, "unknown StallAction");
}

std::string_view to_string(DeadlineAction value) {
  switch (value) {
    case DeadlineAction::Fail:
      return "fail";
    case DeadlineAction::Ignore:
      return "ignore";
  }
  MUSTER_CHECK(false, "unknown DeadlineAction");
}

std::string_view to_string(CheckpointBy value) {
  switch (value) {
    case CheckpointBy::Chief:
      return "chief";
    case CheckpointBy::Each:
      return "each";
  }
  MUSTER_CHECK(false, "unknown CheckpointBy");
}

std::string_view to_string(Resume value) {
  switch (value) {
    case Resume::Restarts:
      return "restarts";
    case Resume::Always:
      return "always";
    case Resume::Never:
      return "never";
  }
  MUSTER_CHECK(false, "unknown Resume");
}

std::string_view to_string(Unpack value) {
  switch (value) {
    case Unpack::Auto:
      return "auto";
    case Unpack::Yes:
      return "yes";
    case Unpack::No:
      return "no";
  }
  MUSTER_CHECK(false, "unknown Unpack");
}

std::string_view to_string(Occasion value) {
  switch (value) {
    case Occasion::Start:
      return "start";
    case Occasion::FirstCause:
      return "first_cause";
    case Occasion::Stall:
      return "stall";
    case Occasion::End:
      return "end";
  }
  MUSTER_CHECK(false, "unknown Occasion");
}

std::string_view to_string(Retry value) {
  switch (value) {
    case Retry::Yes:
      return "yes";
    case Retry::No:
      return "no";
    case Retry::Elsewhere:
      return "elsewhere";
  }
  MUSTER_CHECK(false, "unknown Retry");
}

}  // namespace muster::spec
