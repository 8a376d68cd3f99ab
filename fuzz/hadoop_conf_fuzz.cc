// Hadoop configuration files from any bytes, the file itself included: what is accepted can be read
// as every kind of value, and written and read again; what is refused says where.

#include "base/check.h"
#include "hadoop/conf_file.h"
#include "hadoop/configuration.h"
#include "hadoop/hdfs_settings.h"
#include "hadoop/krb5_conf.h"
#include "hadoop/name_service.h"
#include "hadoop/principal.h"
#include "hadoop/resource_manager.h"
#include "hadoop/rpc_settings.h"
#include "hadoop/security_settings.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

using muster::Result;
using namespace muster::hadoop;

namespace {

template <class T>
void check(const Result<T>& result) {
  MUSTER_CHECK(result.has_value() || !result.error().message.empty(), "an error says why");
}

void read_all(const Configuration& configuration) {
  check(security_settings(configuration));
  check(rpc_settings(configuration));
  check(hdfs_settings(configuration));
  check(default_name_service(configuration));
  check(hdfs_path(configuration, "/a"));
  check(resource_managers(configuration));
  check(node_manager_settings(configuration));
  check(resource_types(configuration));
  if (const Result<std::string> rules = configuration.text("hadoop.security.auth_to_local");
      rules) {
    const Result<ShortNames> names = ShortNames::parse(*rules, "R");
    check(names);
    if (names) {
      check(names->of({.name = "nn", .instance = "h", .realm = "R"}));
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const ReadFile read = [&](const std::filesystem::path& path) -> Result<std::string> {
    if (path == "/c/other.xml") {
      return std::string(text);
    }
    return muster::user_error("no such file", muster::Errc::NotFound);
  };
  const Result<ConfFile> file = parse_conf_file("/c/core-site.xml", text, read, {"/c"});
  check(file);
  if (file) {
    Configuration configuration({.environment = {{"A", "b"}}, .properties = {{"user.name", "me"}}});
    for (const ConfItem& item : file->items) {
      configuration.add(item);
    }
    read_all(configuration);
    // Numeric references can name control characters, which XML cannot carry: what is written may
    // be refused, but never crash.
    check(parse_conf_file("/c/again.xml", configuration.to_xml(), read, {}));
  }
  Krb5Conf conf;
  parse_krb5_conf(text, conf);
  (void)matches_glob(text, "nn/host@R");
  check(parse_principal(text));
  return 0;
}
