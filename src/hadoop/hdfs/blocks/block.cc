#include "hadoop/hdfs/blocks/block.h"

#include "net/address.h"

#include <fmt/format.h>

namespace muster::hadoop::hdfs {

std::string to_string(const Block& block) {
  return fmt::format("blk_{}_{}", block.id, block.generation);
}

std::string Datanode::data_address() const { return fmt::format("{}:{}", ip, data_port); }

}  // namespace muster::hadoop::hdfs
