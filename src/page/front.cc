#include "page/front.h"

#include <algorithm>
#include <string>

namespace muster::page {
namespace {

/// Nothing foreign may be loaded, and nothing may put the page into a frame.
constexpr std::string_view kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

}  // namespace

std::optional<net::HttpResponse> front_file(const Target& target, std::string_view document) {
  if (target.parts.size() != 1) {
    return std::nullopt;
  }
  const std::string_view asked = target.parts[0];
  const std::string_view name = asked.empty() ? document : asked;
  const auto files = front_files();
  const auto found = std::ranges::find(files, name, &FrontFile::name);
  if (found == files.end()) {
    return std::nullopt;
  }
  return net::HttpResponse{.content_type = std::string(found->content_type),
                           .headers = {{"Content-Security-Policy", std::string(kPolicy)},
                                       {"Cross-Origin-Opener-Policy", "same-origin"},
                                       {"Referrer-Policy", "no-referrer"}},
                           .body = std::string(found->bytes)};
}

}  // namespace muster::page
