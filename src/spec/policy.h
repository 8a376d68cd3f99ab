#pragma once

#include <cstdint>
#include <string_view>

namespace muster::spec {

/// Whose conventions a task's environment follows, and which framework proposes the policies that
/// the user left open.
enum class Framework : uint8_t {
  Generic,
  Tensorflow,
  Pytorch,
  Horovod,
  Mxnet,
  Jax,
  Standalone,
};

/// When tasks start: all once everybody has joined, or each as soon as it can.
enum class Barrier : uint8_t { Gang, AsGranted };

/// What a change of one task means for the others of the job.
enum class Membership : uint8_t {
  Static,       ///< The whole gang starts again.
  Rejoin,       ///< The task comes back under the same address while the others run.
  Elastic,      ///< The role lives with min..max tasks.
  Independent,  ///< No other task is affected.
};

/// What the success of a role means for the job.
enum class Success : uint8_t {
  Required,  ///< The job waits for it.
  EndsJob,   ///< It ends the job, successfully.
  Ignored,   ///< The job does not wait for it.
};

/// What the failure of a role's task means once its restarts are spent.
enum class Failure : uint8_t {
  FailsJob,
  Tolerated,  ///< The job fails only if every required task failed.
  Ignored,
};

/// What a role waits for in another role.
enum class Condition : uint8_t { Ended, Running, Succeeded };

/// What to do about tasks that hang.
enum class StallAction : uint8_t {
  Report,   ///< People are told.
  Restart,  ///< The suspect goes to another host.
  Fail,     ///< The job fails.
};

/// What happens when a role has not ended in time after other roles ended.
enum class DeadlineAction : uint8_t {
  Fail,    ///< The job fails.
  Ignore,  ///< The job no longer waits for the role.
};

/// Whose checkpoint folder is kept: the chief's alone, or that of each task.
enum class CheckpointBy : uint8_t { Chief, Each };

/// When a task finds the last complete checkpoint in its folder.
enum class Resume : uint8_t {
  Restarts,  ///< After a restart within the job.
  Always,    ///< Also when the job is submitted anew.
  Never,
};

/// Whether a file is unpacked where it arrives. Auto unpacks known archive endings.
enum class Unpack : uint8_t { Auto, Yes, No };

/// What people may be notified of while a job runs.
enum class Occasion : uint8_t {
  Start,       ///< All tasks run for the first time.
  FirstCause,  ///< The first failure whose cause is known, whether or not the job goes on.
  Stall,       ///< A task no longer does anything.
  End,         ///< The job has ended.
};

/// What a user's failure rule says about trying again.
enum class Retry : uint8_t {
  Yes,
  No,
  Elsewhere,  ///< Yes, and not on the same host.
};

/// The names used in the spec, in JSON and on the screen: "as_granted", "ends_job", ...
[[nodiscard]] std::string_view to_string(Framework value);
[[nodiscard]] std::string_view to_string(Barrier value);
[[nodiscard]] std::string_view to_string(Membership value);
[[nodiscard]] std::string_view to_string(Success value);
[[nodiscard]] std::string_view to_string(Failure value);
[[nodiscard]] std::string_view to_string(Condition value);
[[nodiscard]] std::string_view to_string(DeadlineAction value);
[[nodiscard]] std::string_view to_string(StallAction value);
[[nodiscard]] std::string_view to_string(CheckpointBy value);
[[nodiscard]] std::string_view to_string(Resume value);
[[nodiscard]] std::string_view to_string(Unpack value);
[[nodiscard]] std::string_view to_string(Retry value);
[[nodiscard]] std::string_view to_string(Occasion value);

}  // namespace muster::spec
