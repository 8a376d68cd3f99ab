#pragma once

#include "account/account.h"
#include "account/advice.h"

#include <string>
#include <string_view>
#include <vector>

namespace muster::client {

/// What `muster eff` shows.
struct AccountView {
  std::string job;
  std::string phase;
  const account::Account& account;
  const std::vector<account::Advice>& advice;
  const std::vector<std::string>& notes;
};

/// Renders a table for people, or one line of JSON (schema muster.eff/1).
[[nodiscard]] std::string account_text(const AccountView& view, bool colour);
[[nodiscard]] std::string account_json(const AccountView& view);

/// {"gathering":1.5,...} in seconds.
[[nodiscard]] std::string classes_json(const account::ByClass& classes);

/// Renders a list for people, or JSON: [{"rule":...},...].
[[nodiscard]] std::string advice_text(const std::vector<account::Advice>& advice, bool colour);
[[nodiscard]] std::string advice_json(const std::vector<account::Advice>& advice);

/// "12.345": seconds with milliseconds.
[[nodiscard]] std::string seconds_text(Duration duration);

}  // namespace muster::client
