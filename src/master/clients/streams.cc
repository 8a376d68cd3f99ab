#include "master/clients/streams.h"

#include <utility>

namespace muster::master {

Streams::Streams(const Deps& deps)
    : deps_(deps),
      relay_(deps.loop, deps.log, deps.decider,
             {.to_client = [this](ClientNumber client,
                                  wire::StreamFrame frame) { to_client(client, std::move(frame)); },
              .to_agent =
                  [this](const job::ContainerId& container, wire::StreamFrame frame) {
                    deps_.agents.send_stream(container, std::move(frame));
                  },
              .connected =
                  [this](const job::ContainerId& container) {
                    return deps_.agents.connected(container);
                  },
              .offer =
                  [this](const job::ContainerId& container) {
                    return deps_.admission.stream_offer(container);
                  }}),
      judge_({.loop = deps.loop, .log = deps.log, .decider = deps.decider},
             [this](const StreamRelay::Opener& opener, wire::StreamFrame frame) {
               relay_.from_client(opener, std::move(frame));
             }) {}

Streams::~Streams() {
  if (deps_.page != nullptr) {
    deps_.page->connect(nullptr);
  }
}

void Streams::begin() {
  if (deps_.page != nullptr) {
    deps_.page->connect([this](wire::StreamFrame frame) {
      relay_.from_client({.client = kPageClient, .who = "the page", .from = ""}, std::move(frame));
    });
  }
}

void Streams::to_client(ClientNumber client, wire::StreamFrame frame) {
  if (client == kPageClient) {
    deps_.page->take(std::move(frame));
  } else if (client == kJudgeClient) {
    judge_.take(frame);
  } else {
    deps_.clients.stream(client, std::move(frame));
  }
}

}  // namespace muster::master
