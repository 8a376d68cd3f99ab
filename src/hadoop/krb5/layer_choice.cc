#include "hadoop/krb5/layer_choice.h"

#include <fmt/format.h>

#include <cstdint>

namespace muster::hadoop::krb5 {
namespace {

using rpc::Protection;

uint8_t layer_bit(Protection protection) {
  switch (protection) {
    case Protection::Authentication:
      return 1;
    case Protection::Integrity:
      return 2;
    case Protection::Privacy:
      return 4;
  }
  return 0;
}

constexpr Protection kStrongestFirst[] = {Protection::Privacy, Protection::Integrity,
                                          Protection::Authentication};

std::string names(std::span<const Protection> all, uint8_t bits) {
  std::string out;
  for (const Protection protection : all) {
    if ((bits & layer_bit(protection)) != 0) {
      out += fmt::format("{}{}", out.empty() ? "" : ", ", to_string(protection));
    }
  }
  return out.empty() ? "nothing" : out;
}

}  // namespace

Result<LayerChoice> choose_layer(std::string_view offer, std::span<const Protection> wanted) {
  if (offer.size() != 4) {
    return Error{Errc::Unauthenticated, Blame::Cluster,
                 fmt::format("the Kerberos exchange must end with 4 bytes; the server sent {}",
                             offer.size())};
  }
  const auto offered = static_cast<uint8_t>(offer[0]);
  for (const Protection protection : wanted.empty() ? std::span(kStrongestFirst) : wanted) {
    if ((offered & layer_bit(protection)) == 0) {
      continue;
    }
    // Without a layer no message is wrapped, and its largest size must be 0.
    std::string answer(4, protection == Protection::Authentication ? '\0' : '\xFF');
    answer[0] = static_cast<char>(layer_bit(protection));
    return LayerChoice{.protection = protection, .answer = std::move(answer)};
  }
  return Error{Errc::Unauthenticated, Blame::User,
               fmt::format("the server offers {}, but hadoop.rpc.protection allows {}: set it to "
                           "what the cluster uses",
                           names(kStrongestFirst, offered), names(wanted, 0xFF))};
}

}  // namespace muster::hadoop::krb5
