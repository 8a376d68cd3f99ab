#pragma once

#include <span>
#include <string_view>

namespace muster::page {

/// A file of the page that is the same for every job.
struct FrontFile {
  std::string_view name;  ///< "app.js"; the document's is "index.html".
  std::string_view content_type;
  std::string_view bytes;
};

/// All of them: what `portal/web` holds, put into the binary.
[[nodiscard]] std::span<const FrontFile> front_files();

}  // namespace muster::page
