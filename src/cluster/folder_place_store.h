#pragma once

#include "cluster/job_folder.h"
#include "cluster/place_store.h"
#include "os/file/files.h"

namespace muster::cluster {

/// The place and the summary as files of the job's folder: master.json and summary.json, mode 0600,
/// replaced as a whole; and the file `room`, which only reserves space.
class FolderPlaceStore final : public PlaceStore {
 public:
  FolderPlaceStore(os::Files& files, JobFolder folder)
      : files_(files), folder_(std::move(folder)) {}

  Status publish(const MasterPlaceFile& place) override;
  Status write_summary(const std::string& text) override;
  Status keep_room() override;
  void free_room() override;

 private:
  os::Files& files_;
  JobFolder folder_;
};

}  // namespace muster::cluster
