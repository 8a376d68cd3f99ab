#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace muster::tony {

/// What becomes of a setting.
enum class Fate : uint8_t {
  Becomes,   ///< Done: `text` names keys of the specification, or what else does it.
  Differs,   ///< Done in another way on purpose, or not at all: `text` says what to do instead.
  NoObject,  ///< There is nothing here that it could be about; `text` says why.
};

/// A setting or flag of TonY. `<T>` stands for a job type, `<G>` for a group, `<R>` for a resource.
struct Setting {
  std::string_view name;
  Fate fate;
  std::string_view text;
};

/// Every setting that some version of TonY reads or ships, then the flags of its submitters.
extern const std::span<const Setting> kAllSettings;

/// Finds the row of "tony.worker.memory" or "-src_dir"; nullptr for what no version of TonY knows.
[[nodiscard]] const Setting* find_setting(std::string_view name);

/// Returns the text of a row with the placeholders filled from `name`.
[[nodiscard]] std::string text_for(const Setting& setting, std::string_view name);

/// Returns the setting that was probably meant by a name that find_setting does not find.
[[nodiscard]] std::optional<std::string> nearest_setting(std::string_view name);

/// Returns the table of docs/from-tony.md.
[[nodiscard]] std::string settings_markdown();

}  // namespace muster::tony
