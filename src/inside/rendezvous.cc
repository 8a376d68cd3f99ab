#include "inside/rendezvous.h"

#include <string>
#include <utility>

namespace muster::inside {

Rendezvous::Rendezvous(rt::IoLoop& loop, rt::Fd listening, Peers peers, JobServer::Refused refused)
    : store_(loop),
      server_(loop, std::move(listening), std::move(peers), std::move(refused),
              {.handler = [this](net::HttpRequest request,
                                 const std::string&) { return store_.answer(std::move(request)); },
               .at_once =
                   [this](net::HttpRequest& request) { return store_.answer_at_once(request); }}) {}

}  // namespace muster::inside
