#pragma once

#include "base/result.h"

#include <string>
#include <string_view>

namespace muster::cluster::yarn {

/// The content of a job's application.json: how its client finds it on its cluster again.
struct ApplicationFile {
  std::string application_id;  ///< "application_1700000000000_0007"
  std::string conf;            ///< SiteSource::conf at submission, absolute; "" as Hadoop looks.
  std::string folder;          ///< The job's folder in HDFS.
  std::string proxy_user;      ///< On whose behalf it was submitted; "" on one's own.

  bool operator==(const ApplicationFile&) const = default;
};

[[nodiscard]] std::string to_text(const ApplicationFile& file);
/// Corrupt for anything that to_text() does not make.
[[nodiscard]] Result<ApplicationFile> parse_application_file(std::string_view text);

}  // namespace muster::cluster::yarn
