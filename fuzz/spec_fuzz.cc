// Goal: no text makes the parser of specifications crash, hang or take what it then cannot write
// again.

#include "base/check.h"
#include "spec/read/layers.h"
#include "spec/write/serialize.h"

#include <cstddef>
#include <cstdint>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace muster;
  const std::string text(reinterpret_cast<const char*>(data), size);
  // The first byte chooses which layer the rest is.
  spec::Layers layers{.spec = spec::TextInput{"job.yaml", text}};
  if (text.starts_with("=")) {
    layers.spec->text = "command: a\ntasks: 1\n";
    layers.sets = {text.substr(1)};
  } else if (text.starts_with("^")) {
    layers.spec->text = "command: a\ntasks: 1\n";
    layers.site = spec::TextInput{"site.yaml", text.substr(1)};
  } else if (text.starts_with("{\"schema\"")) {
    if (const auto parsed = spec::parse_json(text)) {
      const auto again = spec::parse_json(spec::to_json(*parsed));
      MUSTER_CHECK(again.has_value() && again.value() == parsed.value(), "JSON round trip");
    }
    return 0;
  }
  const auto loaded = spec::load(layers);
  if (!loaded.has_value()) {
    MUSTER_CHECK(!loaded.error().message.empty(), "an error needs a message");
    return 0;
  }
  const auto parsed = spec::parse_json(spec::to_json(loaded->spec));
  MUSTER_CHECK(parsed.has_value() && *parsed == loaded->spec, "JSON round trip");
  const auto again = spec::load({.spec = spec::TextInput{"job.yaml", spec::to_yaml(loaded->spec)}});
  MUSTER_CHECK(again.has_value() && again->spec == loaded->spec, "YAML round trip");
  return 0;
}
