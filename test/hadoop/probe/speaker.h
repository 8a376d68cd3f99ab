#pragma once

#include "base/log.h"
#include "fields.h"
#include "hadoop/rpc/client.h"
#include "hadoop/rpc/sasl_mechanism.h"
#include "net/tcp_dialer.h"
#include "rt/async.h"
#include "rt/io_loop.h"
#include "rt/run_to_end.h"
#include "rt/system_random.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace muster::probe {

namespace rpc = hadoop::rpc;

/// Standard output is for answers.
class StderrSink final : public log::Sink {
 public:
  void write(log::Level level, std::string_view event,
             std::initializer_list<log::Field> fields) override;
};

/// What every probe is: a client of Hadoop's RPC in one process, with Kerberos tickets from the
/// environment, that answers each line on standard input with one on standard output.
class Speaker {
 public:
  virtual ~Speaker() = default;

  /// Returns at the end of standard input.
  void serve();

 protected:
  /// `caller` appears in the audit logs.
  explicit Speaker(std::string caller);
  Speaker(Speaker&&) = delete;

  virtual json::object answer(const json::object& request) = 0;

  template <class T>
  T run(rt::Async<T> work) {
    return rt::run_to_end(loop_, std::move(work));
  }

  rt::IoLoop loop_;
  rt::SystemRandom random_;
  net::TcpDialer dialer_{loop_};
  StderrSink sink_;
  std::unique_ptr<rpc::KerberosExchanges> kerberos_;
  rpc::Client client_;
};

}  // namespace muster::probe
