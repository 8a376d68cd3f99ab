// Event files and report lines from any bytes: what comes out has names that can be kept, and a
// file is read the same in one piece and byte by byte.

#include "base/check.h"
#include "scalars/event_file.h"
#include "scalars/report_line.h"
#include "scalars/tensor.h"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

using namespace muster::scalars;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  EventFile at_once;
  EventFile piecewise;
  std::vector<Scalar> scalars;
  std::vector<Scalar> again;
  at_once.take(bytes, scalars);
  for (const char byte : bytes) {
    piecewise.take({&byte, 1}, again);
  }
  MUSTER_CHECK(at_once.counts() == piecewise.counts(), "the same records");
  MUSTER_CHECK(scalars.size() == again.size(), "the same scalars");
  MUSTER_CHECK(at_once.trouble() == piecewise.trouble(), "the same trouble");
  for (const Scalar& scalar : scalars) {
    MUSTER_CHECK(is_name(scalar.name), "a name that can be kept");
  }
  (void)scalar_of_tensor(bytes);
  if (const muster::Result<Report> report = parse_report_line(bytes)) {
    MUSTER_CHECK(report->scalars.size() <= kLineScalarsMax, "bounded");
    for (const Scalar& scalar : report->scalars) {
      MUSTER_CHECK(is_name(scalar.name), "a name that can be kept");
    }
  } else {
    MUSTER_CHECK(!report.error().message.empty(), "an error says why");
  }
  return 0;
}
