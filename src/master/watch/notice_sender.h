#pragma once

#include "base/result.h"
#include "job/fact.h"
#include "rt/async.h"
#include "rt/io_loop.h"
#include "spec/settings.h"

#include <filesystem>
#include <map>
#include <memory>
#include <string>

namespace muster::master {

/// One notice, ready to be sent over any channel.
struct Letter {
  std::string job;
  std::string id;  ///< "end", "stall:worker:1#2"
  std::string on;  ///< "stall"
  std::string document;
  std::string mail;
};

/// Sends notices. Blame::User in an error means that a retry cannot help.
class NoticeSender {
 public:
  virtual ~NoticeSender() = default;
  /// Success means that the receiver accepted it. An error's message contains neither the hook's
  /// path nor its token. Destroying the coroutine gives up, and ends what it started.
  [[nodiscard]] virtual rt::Async<Status> send(job::NoticeWay way, Letter letter) = 0;
};

/// How notices leave this process.
struct NoticeSettings {
  spec::Notify notify;
  std::string token;                               ///< The value; "" for none.
  std::map<std::string, std::string> environment;  ///< Of the command and of sendmail.
  std::filesystem::path folder;                    ///< Where these two run.
};

/// Sends by child processes, and over TCP or TLS with the certificates of authorities that this
/// host trusts (or those of the variable SSL_CERT_FILE in `environment`).
[[nodiscard]] std::unique_ptr<NoticeSender> make_notice_sender(rt::IoLoop& loop,
                                                               NoticeSettings settings);

}  // namespace muster::master
