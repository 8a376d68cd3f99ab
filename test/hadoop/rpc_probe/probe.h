#pragma once

#include "base/log.h"
#include "hadoop/rpc/client.h"
#include "hadoop/rpc/sasl_mechanism.h"
#include "net/tcp_dialer.h"
#include "rt/io_loop.h"
#include "rt/system_random.h"

#include <boost/json.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace muster::probe {

namespace json = boost::json;
namespace rpc = hadoop::rpc;

/// Fields of a request; they have the right type, or the test is wrong.
[[nodiscard]] std::string text_of(const json::object& from, std::string_view key,
                                  std::string_view otherwise);
[[nodiscard]] int64_t number_of(const json::object& from, std::string_view key, int64_t otherwise);
[[nodiscard]] bool flag_of(const json::object& from, std::string_view key);
/// Raw bytes, written in hexadecimal digits.
[[nodiscard]] std::string bytes_of(const json::object& from, std::string_view key);
[[nodiscard]] std::string digits_of(std::string_view bytes);

/// Standard output is for answers.
class StderrSink final : public log::Sink {
 public:
  void write(log::Level level, std::string_view event,
             std::initializer_list<log::Field> fields) override;
};

/// One process' worth of Hadoop RPC: one client, and the proxy that `open` made last.
class Probe {
 public:
  Probe();

  json::object answer(const json::object& request);

 private:
  json::object open(const json::object& request);
  json::object call(const json::object& request);
  json::object cancel(const json::object& request);
  json::object rate(const json::object& request);
  json::object load(const json::object& request);

  template <class T>
  T run(rt::Async<T> work);

  rt::IoLoop loop_;
  rt::SystemRandom random_;
  net::TcpDialer dialer_{loop_};
  StderrSink sink_;
  std::unique_ptr<rpc::KerberosExchanges> kerberos_;
  rpc::Client client_;
  std::unique_ptr<rpc::Proxy> proxy_;
};

}  // namespace muster::probe
