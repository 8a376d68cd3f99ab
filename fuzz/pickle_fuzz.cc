// Dumps of flight recorders from any bytes: what comes out is bounded and can be shown.

#include "stacks/pickle.h"

#include "base/check.h"
#include "base/text.h"
#include "stacks/flight_record.h"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

using namespace muster::stacks;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const muster::Result<Pickle> pickle = Pickle::read(bytes);
  if (!pickle) {
    MUSTER_CHECK(!pickle.error().message.empty(), "an error says why");
    return 0;
  }
  (void)pickle->find(pickle->root(), "entries");
  if (const muster::Result<std::vector<Collectives>> read = read_flight_record(bytes)) {
    MUSTER_CHECK(read->size() <= kCollectivesMax, "bounded");
    for (const Collectives& each : *read) {
      MUSTER_CHECK(muster::printable(each.group) == each.group, "can be shown");
      MUSTER_CHECK(muster::printable(each.call) == each.call, "can be shown");
    }
  }
  return 0;
}
