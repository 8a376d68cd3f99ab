#include "master/folder_place_store.h"

namespace muster::master {

Status FolderPlaceStore::publish(const cluster::MasterPlaceFile& place) {
  return files_.write(folder_.master_place(), cluster::to_text(place), {.mode = 0600});
}

Status FolderPlaceStore::write_summary(const std::string& text) {
  return files_.write(folder_.summary(), text, {.mode = 0600, .durable = true});
}

}  // namespace muster::master
