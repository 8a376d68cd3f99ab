#pragma once

#include "cluster/sample_store.h"
#include "hadoop/hdfs/file_system.h"
#include "rt/async.h"
#include "rt/loop.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace muster::cluster::yarn {

/// Sample files in an HDFS folder, mode 0600; each append is flushed, so that it survives its
/// writer. The folder is made with the first file. Lives on one loop's thread.
class HdfsSampleStore final : public SampleStore {
 public:
  /// Both must outlive it.
  HdfsSampleStore(rt::Loop& loop, hadoop::hdfs::FileSystem& files, std::string folder);
  ~HdfsSampleStore() override;

  rt::Async<Result<std::vector<File>>> list() override;
  rt::Async<Result<std::string>> read(std::string name) override;
  rt::Async<Status> append(std::string name, std::string bytes) override;
  rt::Async<Status> remove(std::string name) override;
  rt::Async<Status> close() override;

 private:
  /// The file being appended to, one of each kind: starting the next one completes the last.
  struct Open {
    std::string name;
    std::unique_ptr<hadoop::hdfs::FileWriter> writer;
  };
  [[nodiscard]] rt::Async<Status> open(std::string name, Open* slot);
  [[nodiscard]] std::string path_of(const std::string& name) const;

  rt::Loop& loop_;
  hadoop::hdfs::FileSystem& files_;
  std::string folder_;
  std::map<std::string, Open> open_;  ///< By the first word of their names.
};

}  // namespace muster::cluster::yarn
