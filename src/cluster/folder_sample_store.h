#pragma once

#include "cluster/sample_store.h"
#include "os/file/files.h"
#include "rt/loop.h"

#include <string>
#include <vector>

namespace muster::cluster {

/// Sample files in a folder of this machine, mode 0600, written on the blocking pool.
class FolderSampleStore final : public SampleStore {
 public:
  /// Loop and files must outlive it, and the writes it has begun.
  FolderSampleStore(rt::Loop& loop, os::Files& files, os::Path folder);

  rt::Async<Result<std::vector<File>>> list() override;
  rt::Async<Result<std::string>> read(std::string name) override;
  rt::Async<Status> append(std::string name, std::string bytes) override;
  rt::Async<Status> remove(std::string name) override;
  rt::Async<Status> close() override;

 private:
  rt::Loop& loop_;
  os::Files& files_;
  os::Path folder_;
};

}  // namespace muster::cluster
