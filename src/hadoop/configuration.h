#pragma once

#include "base/result.h"
#include "base/time.h"
#include "hadoop/conf_file.h"
#include "hadoop/origin.h"
#include "net/address.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::hadoop {

/// What `${...}` in values can see besides the configuration itself.
struct Surroundings {
  std::map<std::string, std::string> environment;  ///< For ${env.NAME}.
  std::map<std::string, std::string> properties;   ///< For ${user.name}, ${user.home}, ...
};

/// The properties of a Hadoop client: the defaults of Hadoop 3.4 that Muster reads, overlaid with
/// site files by Hadoop's rules (later wins unless an earlier one is final; old names set the new
/// ones). A value: copy it, pass it on; reading it has no side effects. load.h fills it
/// from the folders where Hadoop keeps it.
///
/// Typed readers trim, expand `${...}`, and name file and line of a value that they cannot read. A
/// key without a value and without a built-in default is the caller's bug unless the reader says
/// otherwise.
class Configuration {
 public:
  struct Property {
    std::string value;  ///< As written.
    bool is_final = false;
    Origin origin;
  };

  /// Only the built-in defaults.
  explicit Configuration(Surroundings surroundings = {});

  /// Lays one property over the existing ones.
  void add(const ConfItem& item);
  /// Sets a property whatever the files say, final or not. `why` stands for the file in messages:
  /// "clusters.prod of /etc/muster/site.yaml".
  void set(std::string_view name, std::string_view value, std::string_view why);
  /// Records a mistake for users (doctor).
  void note(std::string text) { notes_.push_back(std::move(text)); }

  /// The property as written; nullptr if it has no value. Old names find the new one's.
  [[nodiscard]] const Property* find(std::string_view name) const;
  /// True if a file or set() gave the property.
  [[nodiscard]] bool is_set(std::string_view name) const;

  /// The expanded, trimmed value; "" when there is none. An error when the expansion goes deeper
  /// than Hadoop allows (20 rounds) or grows beyond 1 MiB.
  [[nodiscard]] Result<std::string> text(std::string_view name) const;
  /// True or false; what is neither is the built-in default, as in Hadoop.
  [[nodiscard]] Result<bool> flag(std::string_view name) const;
  [[nodiscard]] Result<int64_t> number(std::string_view name) const;
  /// A number within [low, high], both included.
  [[nodiscard]] Result<int64_t> number(std::string_view name, int64_t low, int64_t high) const;
  /// Bytes, written as a number or with k, m, g, ...; at least 0.
  [[nodiscard]] Result<int64_t> size_bytes(std::string_view name) const;
  /// A time; without a unit of its own it counts `unit`s.
  [[nodiscard]] Result<Duration> duration(std::string_view name, Duration unit) const;
  /// The parts between commas; none when there is no value.
  [[nodiscard]] Result<std::vector<std::string>> list(std::string_view name) const;
  /// "host:port" or "host", then with `default_port`.
  [[nodiscard]] Result<net::HostPort> address(std::string_view name, uint16_t default_port) const;

  /// Makes an error about a property, with the place where it was written: "FILE:LINE:COLUMN:
  /// error: NAME is "VALUE": what".
  [[nodiscard]] Error wrong(std::string_view name, std::string_view what) const;

  /// Everything that files and set() gave, expanded, as one core-site.xml: a job carries its
  /// client's view of the cluster along. Values that cannot be expanded stay as they are.
  [[nodiscard]] std::string to_xml() const;

  /// Mistakes in the files that change nothing now: overridden final properties, empty ones.
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }
  /// The files that were read, in order.
  [[nodiscard]] const std::vector<std::string>& files() const { return files_; }
  void add_file(std::string path) { files_.push_back(std::move(path)); }

  [[nodiscard]] const Surroundings& surroundings() const { return surroundings_; }

 private:
  [[nodiscard]] Result<std::string> expand(std::string_view name, std::string text) const;
  [[nodiscard]] std::optional<std::string> variable(std::string_view name) const;
  void put(const std::string& name, const ConfItem& item);

  Surroundings surroundings_;
  std::map<std::string, Property, std::less<>> properties_;  ///< Of files and set().
  std::vector<std::string> notes_;
  std::vector<std::string> files_;
};

}  // namespace muster::hadoop
