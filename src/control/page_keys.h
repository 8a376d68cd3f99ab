#pragma once

#include "control/keys.h"

#include <string>
#include <string_view>

namespace muster::control {

/// `owner` stands in the fragment of the link that only the owner can have made, and lets its
/// browser stop the job.
///
/// What the job's page asks of a viewer's browser: `token` stands in the link's fragment and is
/// exchanged for a session's cookie, which each master makes anew; `path` (16 bytes of it) names
/// the part of the site that the browser sends the cookie to, so that other sites of the same host
/// are never sent it. None of them opens the control channel.
struct PageKeys {
  Key token{};
  Key path{};
  Key owner{};
};

[[nodiscard]] PageKeys derive_page_keys(const Secret& secret);

/// Returns the link to the page of a job whose master listens at `address`:
/// "http://ADDRESS/#t=TOKEN".
[[nodiscard]] std::string page_link(std::string_view address, const Secret& secret);

/// Returns the link to the same page with the right to stop the job:
/// "http://ADDRESS/#t=TOKEN&o=OWNER", made from page_link's.
[[nodiscard]] std::string owner_page_link(std::string_view page, const Secret& secret);

/// The unguessable part of the path at which a side program of an agent serves (TensorBoard's
/// --path_prefix): master and agent derive it from the agent's key, nobody else can.
[[nodiscard]] Key side_path_key_of(const Key& agent_key);

}  // namespace muster::control
