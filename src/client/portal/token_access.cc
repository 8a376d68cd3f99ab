#include "client/portal/token_access.h"

#include "control/page_keys.h"
#include "page/token_access.h"
#include "rt/system_random.h"

namespace muster::client {

std::unique_ptr<page::Access> token_access(const control::Secret& secret) {
  const control::PageKeys keys = control::derive_page_keys(secret);
  // For this process alone: another program may take the port of one that has died, and then
  // receives the session of each page that is still open.
  control::Key session{};
  rt::SystemRandom().fill(session);
  constexpr size_t kPathDigits = 32;
  return std::make_unique<page::TokenAccess>(
      page::TokenKeys{.token = control::to_hex(keys.token),
                      .cookie = control::to_hex(session),
                      .path = control::to_hex(keys.path).substr(0, kPathDigits),
                      .owner = control::to_hex(keys.owner)});
}

}  // namespace muster::client
