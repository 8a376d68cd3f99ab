#include "cluster/master_place_file.h"

#include "base/text.h"

#include <fmt/format.h>

#include <charconv>

namespace muster::cluster {
namespace {

/// Takes the text between `before` and `after` from the front of `rest`; false if it does not begin
/// that way.
bool take(std::string_view& rest, std::string_view before, std::string_view after,
          std::string_view& value) {
  if (!rest.starts_with(before)) {
    return false;
  }
  rest.remove_prefix(before.size());
  const size_t end = rest.find(after);
  if (end == std::string_view::npos) {
    return false;
  }
  value = rest.substr(0, end);
  rest.remove_prefix(end);
  return true;
}

template <class Number>
bool parse_number(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::string to_text(const MasterPlaceFile& file) {
  return fmt::format("{{\"schema\":\"muster.master/1\",\"address\":{},\"epoch\":{},\"pid\":{}}}\n",
                     json_quote(file.address), file.epoch.value, file.pid);
}

Result<MasterPlaceFile> parse_master_place(std::string_view text) {
  std::string_view address;
  std::string_view epoch;
  std::string_view pid;
  MasterPlaceFile file;
  const bool whole = take(text, "{\"schema\":\"muster.master/1\",\"address\":\"", "\",", address) &&
                     take(text, "\",\"epoch\":", ",", epoch) && take(text, ",\"pid\":", "}", pid) &&
                     parse_number(epoch, file.epoch.value) && parse_number(pid, file.pid) &&
                     address.find('\\') == std::string_view::npos;
  if (!whole) {
    return Error{Errc::Corrupt, Blame::Cluster, "master.json is damaged"};
  }
  file.address = std::string(address);
  return file;
}

}  // namespace muster::cluster
