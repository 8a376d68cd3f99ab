#pragma once

#include "base/result.h"
#include "cluster/master_place_file.h"

#include <string>

namespace muster::cluster {

/// Where clients and agents find the master in charge, and what stays of the job for people.
class PlaceStore {
 public:
  virtual ~PlaceStore() = default;
  /// Publishes this master's address, replacing an older one's. Again is harmless.
  virtual Status publish(const MasterPlaceFile& place) = 0;
  /// Keeps the summary of the ended job; its presence says that the job has ended. Again is
  /// harmless.
  virtual Status write_summary(const std::string& text) = 0;
  /// Keeps a little room on the disk, for the job's end on a disk that is full. Again is harmless.
  virtual Status keep_room() = 0;
  /// Gives that room back; harmless where none is kept.
  virtual void free_room() = 0;
};

}  // namespace muster::cluster
