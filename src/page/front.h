#pragma once

#include "net/http.h"
#include "page/target.h"

#include <optional>
#include <span>
#include <string_view>

namespace muster::page {

/// A file of the page that is the same for every job.
struct FrontFile {
  std::string_view name;  ///< "app.js"; the document's is "index.html".
  std::string_view content_type;
  std::string_view bytes;
};

/// Returns all of them: what `portal/web` holds, embedded in the binary.
[[nodiscard]] std::span<const FrontFile> front_files();

/// Returns the file that a request names, as its answer; `document` if it names none. nullopt for
/// anything else.
[[nodiscard]] std::optional<net::HttpResponse> front_file(const Target& target,
                                                          std::string_view document);

}  // namespace muster::page
