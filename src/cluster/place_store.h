#pragma once

#include "base/result.h"
#include "cluster/master_place_file.h"

#include <string>

namespace muster::cluster {

/// Where clients and agents find the master in charge, and what is kept of the job for people.
class PlaceStore {
 public:
  virtual ~PlaceStore() = default;
  /// Publishes this master's address, replacing an older one's. May be repeated.
  virtual Status publish(const MasterPlaceFile& place) = 0;
  /// Writes the summary of the ended job; its presence says that the job has ended. May be
  /// repeated.
  virtual Status write_summary(const std::string& text) = 0;
  /// Reserves a little space on the disk, so that the job can end on a full disk. May be repeated.
  virtual Status keep_room() = 0;
  /// Frees that space; harmless if none is reserved.
  virtual void free_room() = 0;
};

}  // namespace muster::cluster
