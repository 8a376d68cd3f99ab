#pragma once

#include "base/result.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace muster::tony {

/// One setting as it was written: its name, its value, and where.
struct Property {
  std::string name;
  std::string value;
  std::string origin;  ///< "tony.xml:12", "-conf".
};

/// Reads a file in Hadoop's XML: <configuration> with <property>s of <name> and <value>. Errors
/// name file and line.
[[nodiscard]] Result<std::vector<Property>> parse_properties(std::string_view text,
                                                             std::string_view file);

/// All settings of a job, the later ones over the earlier, lists that grow instead put together.
/// Remembers which of them somebody has looked at: what is left was not understood.
class Properties {
 public:
  /// Lays one over what is there. `appends`: as TonY's -conf does for its three lists.
  void add(Property property, bool appends);

  /// The value without blanks around it, or nullptr. Names of old versions are found, too.
  [[nodiscard]] const Property* take(const std::string& name);
  /// All whose name begins and ends so, in order; not taken by that.
  [[nodiscard]] std::vector<std::string> names(std::string_view begin, std::string_view end) const;
  [[nodiscard]] bool has(const std::string& name) const { return all_.contains(name); }
  /// What nobody has taken, in the order of names.
  [[nodiscard]] std::vector<Property> rest() const;

 private:
  struct Held {
    Property property;
    bool taken = false;
  };
  std::map<std::string, Held> all_;
};

/// The present name of a setting that earlier versions of TonY called otherwise; the name itself
/// for all others.
[[nodiscard]] std::string present_name(std::string_view name);

}  // namespace muster::tony
