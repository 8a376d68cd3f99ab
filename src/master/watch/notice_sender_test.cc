// How notices leave the master's process: real programs, and a hook on a socket of this test.
#include "master/watch/notice_sender.h"

#include "os/process/signals.h"
#include "testing/run_async.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace muster::master {
namespace {

namespace fs = std::filesystem;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const Letter kLetter{.job = "pair-1",
                     .id = "end",
                     .on = "end",
                     .document = "{\"a\":1}\n",
                     .mail = "Subject: x\n\nwell\n"};

/// Answers one request with a text.
class OneAnswer {
 public:
  explicit OneAnswer(std::string answer) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ::bind(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address);
    ::listen(socket_, 1);
    socklen_t size = sizeof address;
    ::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this, answer = std::move(answer)] { serve(answer); });
  }
  OneAnswer(const OneAnswer&) = delete;
  OneAnswer& operator=(const OneAnswer&) = delete;
  ~OneAnswer() {
    ::shutdown(socket_, SHUT_RDWR);
    thread_.join();
    ::close(socket_);
  }

  [[nodiscard]] std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
  /// Returns what was asked; call it once the answer has come.
  [[nodiscard]] const std::string& asked() const { return asked_; }

 private:
  void serve(const std::string& answer) {
    const int connection = ::accept(socket_, nullptr, nullptr);
    char bytes[4096];
    while (connection >= 0 && !asked_.ends_with("}\n")) {
      const ssize_t count = ::read(connection, bytes, sizeof bytes);
      if (count <= 0) {
        break;
      }
      asked_.append(bytes, static_cast<size_t>(count));
    }
    (void)!::write(connection, answer.data(), answer.size());
    ::close(connection);
  }

  int socket_;
  uint16_t port_ = 0;
  std::string asked_;
  std::thread thread_;
};

class NoticeSending : public ::testing::Test {
 protected:
  NoticeSending() {
    os::ignore_broken_pipes();  // As in main: a command need not read its input.
    char name[] = "/tmp/notice-test-XXXXXX";
    folder_ = ::mkdtemp(name);
    settings_.folder = folder_;
    settings_.environment = {{"PATH", folder_.string() + ":/usr/bin:/bin"}, {"OWN", "yes"}};
  }
  ~NoticeSending() override { fs::remove_all(folder_); }

  Status send(job::NoticeWay way) {
    const auto sender = make_notice_sender(loop_, settings_);
    auto work = sender->send(way, kLetter);
    return ::muster::testing::run_async(loop_, std::move(work)).value();
  }
  Status run(const std::string& command) {
    settings_.notify.command = command;
    return send(job::NoticeWay::Command);
  }
  Status post(const OneAnswer& server, const std::string& path = "/secret/path?x=1") {
    settings_.notify.hook = "http://" + server.address() + path;
    return send(job::NoticeWay::Hook);
  }
  std::string read(const char* name) const {
    std::ifstream file(folder_ / name);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }

  fs::path folder_;
  NoticeSettings settings_;
  rt::IoLoop loop_;
};

TEST_F(NoticeSending, ACommandGetsTheDocumentAndWhatItIsAbout) {
  ASSERT_TRUE(run("cat > document; echo $MUSTER_JOB $MUSTER_NOTICE $OWN > about"));
  EXPECT_EQ(read("document"), kLetter.document);
  EXPECT_EQ(read("about"), "pair-1 end yes\n");
}

TEST_F(NoticeSending, ACommandThatFailsIsToldWithItsLastLine) {
  const Status failed = run("echo first; echo 'no route to chat ' >&2; exit 3");
  ASSERT_FALSE(failed.has_value());
  EXPECT_EQ(failed.error().message, "the command ended with exit code 3: no route to chat");
  EXPECT_EQ(failed.error().blame, Blame::Cluster);
  EXPECT_EQ(run("exit 4").error().message, "the command ended with exit code 4");
  EXPECT_EQ(run("kill -KILL $$").error().message, "the command was ended by signal 9");
}

TEST_F(NoticeSending, OfALongLastLineTheBeginningIsShown) {
  const std::string said = run("head -c 300 /dev/zero | tr '\\0' x; exit 1").error().message;
  EXPECT_THAT(said, EndsWith(": " + std::string(200, 'x')));
}

TEST_F(NoticeSending, ACommandThatPrintsMuchStillEnds) {
  const Status failed = run("head -c 300000 /dev/zero; echo; echo last; exit 1");
  EXPECT_THAT(failed.error().message, EndsWith(": last"));
}

TEST_F(NoticeSending, ACommandThatCannotBeStartedIsTold) {
  settings_.folder = folder_ / "missing";
  EXPECT_THAT(run("true").error().message, HasSubstr("the command cannot be started"));
}

TEST_F(NoticeSending, GivingUpEndsTheCommand) {
  settings_.notify.command = "echo $$ > pid; exec sleep 1000";
  const auto sender = make_notice_sender(loop_, settings_);
  auto work = sender->send(job::NoticeWay::Command, kLetter);
  {
    const auto running = rt::start(loop_, std::move(work), [](const Status&) {});
    const HostTime limit = loop_.now() + std::chrono::seconds(20);
    while (!read("pid").ends_with('\n') && loop_.now() < limit) {
      loop_.run_until(loop_.now() + std::chrono::milliseconds(20));
    }
  }
  const std::string pid = read("pid");
  ASSERT_NE(pid, "");
  const HostTime limit = loop_.now() + std::chrono::seconds(20);
  while (::kill(std::stoi(pid), 0) == 0 && loop_.now() < limit) {
    loop_.run_until(loop_.now() + std::chrono::milliseconds(20));
  }
  EXPECT_NE(::kill(std::stoi(pid), 0), 0);
}

TEST_F(NoticeSending, MailGoesToSendmail) {
  std::ofstream(folder_ / "sendmail") << "#!/bin/sh\ncat > mail; echo \"$@\" > words\n";
  fs::permissions(folder_ / "sendmail", fs::perms::owner_all);
  settings_.notify.mail = {"ann@example.org", "bob@example.org"};
  ASSERT_TRUE(send(job::NoticeWay::Mail));
  EXPECT_EQ(read("mail"), kLetter.mail);
  EXPECT_EQ(read("words"), "-i -- ann@example.org bob@example.org\n");
}

TEST_F(NoticeSending, AHookGetsTheDocument) {
  const OneAnswer server("HTTP/1.1 204 No Content\r\n\r\n");
  settings_.token = " t0ken\n";
  ASSERT_TRUE(post(server));
  EXPECT_THAT(server.asked(), StartsWith("POST /secret/path?x=1 HTTP/1.1\r\n"));
  EXPECT_THAT(server.asked(), HasSubstr("Host: " + server.address() + "\r\n"));
  EXPECT_THAT(server.asked(), HasSubstr("Authorization: Bearer t0ken\r\n"));
  EXPECT_THAT(server.asked(), HasSubstr("Muster-Notice: pair-1/end\r\n"));
  EXPECT_THAT(server.asked(), HasSubstr("Content-Type: application/json\r\n"));
  EXPECT_THAT(server.asked(), EndsWith("\r\n\r\n" + kLetter.document));
}

TEST_F(NoticeSending, AnAddressNeedsNoPath) {
  const OneAnswer bare("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  ASSERT_TRUE(post(bare, ""));
  EXPECT_THAT(bare.asked(), StartsWith("POST / HTTP/1.1\r\n"));
  EXPECT_EQ(bare.asked().find("Authorization"), std::string::npos);
  const OneAnswer query("HTTP/1.1 299 Fine\r\nContent-Length: 0\r\n\r\n");
  ASSERT_TRUE(post(query, "?a=b"));
  EXPECT_THAT(query.asked(), StartsWith("POST /?a=b HTTP/1.1\r\n"));
}

TEST_F(NoticeSending, WhatCannotChangeIsNotTriedAgain) {
  const std::map<int, Blame> blames = {
      {300, Blame::User},    {301, Blame::User},    {404, Blame::User},
      {499, Blame::User},    {408, Blame::Cluster}, {425, Blame::Cluster},
      {429, Blame::Cluster}, {500, Blame::Cluster}, {503, Blame::Cluster}};
  for (const auto& [status, blame] : blames) {
    const OneAnswer server(fmt::format("HTTP/1.1 {} X\r\nContent-Length: 0\r\n\r\n", status));
    const Status refused = post(server);
    ASSERT_FALSE(refused.has_value()) << status;
    EXPECT_EQ(refused.error().message,
              fmt::format("{} answered with status {}", server.address(), status));
    EXPECT_EQ(refused.error().blame, blame) << status;
  }
}

TEST_F(NoticeSending, NobodyAtTheHookIsTriedAgain) {
  std::string address;
  {
    const OneAnswer gone("");
    address = gone.address();
  }
  settings_.notify.hook = "http://" + address + "/secret";
  const Status failed = send(job::NoticeWay::Hook);
  ASSERT_FALSE(failed.has_value());
  EXPECT_NE(failed.error().blame, Blame::User);
  EXPECT_EQ(failed.error().message.find("secret"), std::string::npos);
}

}  // namespace
}  // namespace muster::master
