#include "cluster/folder_place_store.h"

namespace muster::cluster {
namespace {

/// Enough for the last facts of a thousand tasks and the summary.
constexpr size_t kRoomBytes = 64U << 10;

}  // namespace

Status FolderPlaceStore::publish(const MasterPlaceFile& place) {
  return files_.write(folder_.master_place(), to_text(place), {.mode = 0600});
}

Status FolderPlaceStore::write_summary(const std::string& text) {
  return files_.write(folder_.summary(), text, {.mode = 0600, .durable = true});
}

Status FolderPlaceStore::keep_room() {
  return files_.write(folder_.room(), std::string(kRoomBytes, '\0'), {.mode = 0600});
}

void FolderPlaceStore::free_room() { (void)files_.remove(folder_.room()); }

}  // namespace muster::cluster
