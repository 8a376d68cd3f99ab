#include "speaker.h"

#include "hadoop/krb5/exchanges.h"
#include "os/process/spawn.h"

#include <iostream>

namespace muster::probe {

void StderrSink::write(log::Level level, std::string_view event,
                       std::initializer_list<log::Field> fields) {
  std::cerr << log::format_line(level, event, fields) << '\n';
}

Speaker::Speaker(std::string caller)
    : kerberos_(hadoop::krb5::make_exchanges(loop_, {.program = hadoop::krb5::shipped_helper(),
                                                     .environment = os::own_environment()})),
      client_({.loop = loop_,
               .random = random_,
               .dialer = dialer_,
               .log = sink_,
               .kerberos = kerberos_.get()},
              {.caller_context = std::move(caller)}) {}

void Speaker::serve() {
  std::string line;
  while (std::getline(std::cin, line)) {
    const auto request = json::parse(line).as_object();
    std::cout << json::serialize(answer(request)) << std::endl;
  }
}

}  // namespace muster::probe
