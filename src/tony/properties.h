#pragma once

#include "base/result.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::tony {

/// One setting as it was written: its name, its value, and where.
struct Property {
  std::string name;
  std::string value;
  std::string origin;     ///< "tony.xml:12", "-conf".
  bool is_final = false;  ///< Later files do not change it; -conf does.
};

/// Reads a file that another one includes, by its path or URI; called within parse_properties.
using ReadIncluded = std::function<Result<std::string>(const std::string& path)>;

/// Reads a file in Hadoop's XML: <configuration> with <property>s of <name> and <value>, as
/// elements or attributes; one without a value says nothing. <xi:include href="FILE"/> stands for
/// the properties of that file, from the folder of this one; without `read_included` it is an
/// error. Errors name file, line and column. Entities are expanded as expand_entities() does.
[[nodiscard]] Result<std::vector<Property>> parse_properties(
    std::string_view text, std::string_view file, const ReadIncluded& read_included = nullptr);

/// All settings of a job, later ones overriding earlier ones, and appendable lists concatenated.
/// Remembers which of them were read: the rest was not understood.
class Properties {
 public:
  /// Lays a file's setting over the existing one, unless that is final or has been set.
  void add(Property property);
  /// Sets one whatever the files say, including files added later. `appends`: to what is there so
  /// far, as for TonY's three lists.
  void set(Property property, bool appends);
  /// Replaces `${name}` in all values, by a setting or by what `variables` names
  /// ("user.name", "env.HOME"); what neither has stays, but for `${env.NAME:-otherwise}` and
  /// `${env.NAME-otherwise}`.
  void expand(const std::map<std::string, std::string>& variables);

  /// The value without blanks around it, or nullptr. Names of old versions are found, too.
  [[nodiscard]] const Property* take(const std::string& name);
  /// Returns all whose name has this beginning and end, in order; does not mark them as taken.
  [[nodiscard]] std::vector<std::string> names(std::string_view begin, std::string_view end) const;
  [[nodiscard]] bool has(const std::string& name) const { return all_.contains(name); }
  /// Returns all, sorted by name.
  [[nodiscard]] std::vector<Property> all() const;
  /// Returns those that have not been taken, sorted by name.
  [[nodiscard]] std::vector<Property> rest() const;

 private:
  /// Under its present name.
  void lay(Property property, bool is_set);
  [[nodiscard]] std::string expanded(std::string text,
                                     const std::map<std::string, std::string>& variables) const;
  [[nodiscard]] std::optional<std::string> value_of(
      const std::string& name, const std::map<std::string, std::string>& variables) const;

  struct Held {
    Property property;
    bool is_set = false;  ///< By what counts above every file.
    bool taken = false;
  };
  std::map<std::string, Held> all_;
};

/// Returns the present name of a setting that earlier versions of TonY named differently; the name
/// itself for all others.
[[nodiscard]] std::string present_name(std::string_view name);

}  // namespace muster::tony
