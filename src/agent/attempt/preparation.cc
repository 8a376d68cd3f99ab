#include "agent/attempt/preparation.h"

#include "agent/attempt/hadoop_classpath.h"
#include "rt/wait.h"

#include <cstdint>
#include <utility>

namespace muster::agent {
namespace {

/// The part that runs on a pool thread. Owns everything it uses except the files.
struct Placing {
  os::Files& files;
  Unpacker unpack;
  std::stop_token stop;
  std::filesystem::path logs;
  std::filesystem::path host_folder;
  bool anew = false;                   ///< The attempt must find no checkpoint.
  std::optional<Variables> hadoop_of;  ///< The environment whose Hadoop class path is wanted.
  Preparation preparation;
  std::optional<uint64_t> restored;  ///< The checkpoint's number.

  Status place() {
    Placement placement(files, unpack, stop);
    const spec::RoleSettings& settings = preparation.settings;
    MUSTER_TRY_STATUS(files.make_folders(logs));
    MUSTER_TRY_STATUS(files.make_folders(preparation.work_folder));
    MUSTER_TRY_STATUS(placement.place(settings.files, preparation.work_folder));
    if (settings.python) {
      MUSTER_TRY(preparation.python_folder,
                 placement.place_python(*settings.python, host_folder / "python"));
    }
    if (hadoop_of) {
      preparation.class_path = hadoop_classpath(files, *hadoop_of);
    }
    return place_checkpoint();
  }

  Status place_checkpoint() {
    const CheckpointPlace& checkpoint = preparation.checkpoint;
    if (anew) {
      MUSTER_TRY_STATUS(clear_checkpoint(files, checkpoint));
    }
    if (checkpoint.store != nullptr && preparation.order.restore) {
      MUSTER_TRY(restored, restore_checkpoint(files, checkpoint));
    }
    MUSTER_TRY_STATUS(files.make_folders(checkpoint.folder));
    if (preparation.mirrors()) {
      MUSTER_TRY(preparation.checkpoint_look, look_at(files, checkpoint.folder));
    }
    return {};
  }

  Result<Placing> operator()() {
    MUSTER_TRY_STATUS(place());
    return std::move(*this);
  }
};

}  // namespace

Preparer::Preparer(const AgentDeps& deps, const JobContext& job, Unpacker unpack)
    : deps_(deps), job_(job), unpack_(std::move(unpack)), log_(deps.log) {}

rt::Async<Result<Preparation>> Preparer::prepare(job::PrepareAttempt order, std::stop_token stop) {
  const job::AttemptId id = order.attempt;
  const CheckpointSources sources{.files = deps_.files,
                                  .open = deps_.open_checkpoints,
                                  .host_folder = job_.host_folder(),
                                  .writer = job_.order().container.value};
  Placing placing{.files = deps_.files,
                  .unpack = unpack_,
                  .stop = std::move(stop),
                  .logs = job_.folder().logs(),
                  .host_folder = job_.host_folder()};
  Preparation& preparation = placing.preparation;
  preparation.order = std::move(order);
  preparation.settings = spec::settings_of(job_.plan().spec, job_.spec_role_of(id));
  preparation.work_folder = job_.work_folder(id);
  MUSTER_CO_TRY(preparation.checkpoint, checkpoint_place(sources, job_.plan(), id.task));
  placing.anew = starts_anew(job_.plan(), id, preparation.checkpoint);
  const bool wants_hadoop =
      job_.on_yarn() && !preparation.settings.env.contains("SKIP_HADOOP_PATH");
  if (wants_hadoop && !class_path_) {
    placing.hadoop_of = job_.identity().inherited;
  }
  MUSTER_CO_TRY(Placing placed, co_await rt::run_blocking(deps_.loop, std::move(placing)));
  if (placed.restored) {
    log_.info("checkpoint.restored", {{"attempt", job_.stem_of(id)}, {"number", *placed.restored}});
  }
  if (placed.hadoop_of) {
    class_path_ = placed.preparation.class_path;
  }
  placed.preparation.class_path = class_path_.value_or("");
  co_return std::move(placed.preparation);
}

}  // namespace muster::agent
