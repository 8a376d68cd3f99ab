#pragma once

#include "speaker.h"

#include <memory>
#include <string>
#include <string_view>

namespace muster::probe {

/// Returns raw bytes that were written in hexadecimal digits.
[[nodiscard]] std::string bytes_of(const json::object& from, std::string_view key);
[[nodiscard]] std::string digits_of(std::string_view bytes);

/// Calls whatever it is told to, by the proxy that `open` made last.
class Probe final : public Speaker {
 public:
  Probe() : Speaker("muster_probe") {}

 private:
  json::object answer(const json::object& request) override;
  json::object open(const json::object& request);
  json::object call(const json::object& request);
  json::object cancel(const json::object& request);
  json::object rate(const json::object& request);
  json::object load(const json::object& request);
  static json::object checksums(const json::object& request);
  static json::object exchange_tokens(const json::object& request);

  std::unique_ptr<rpc::Proxy> proxy_;
};

}  // namespace muster::probe
