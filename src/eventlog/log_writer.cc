#include "eventlog/log_writer.h"

#include <algorithm>
#include <utility>

namespace muster::eventlog {
namespace {

constexpr Duration kRetryWaitMin = std::chrono::milliseconds(100);
constexpr Duration kRetryWaitMax = std::chrono::seconds(5);

}  // namespace

LogWriter::LogWriter(rt::Loop& loop, SegmentStore& store, const log::Logger& log,
                     Committed committed, Troubled troubled)
    : loop_(loop),
      store_(store),
      log_(log),
      committed_(std::move(committed)),
      troubled_(std::move(troubled)) {}

LogWriter::~LogWriter() {
  *alive_ = false;
  loop_.cancel(retry_timer_);
}

void LogWriter::begin(const Header& header) {
  buffer_ += encode_header(header);
  schedule();
}

void LogWriter::append(const Record& record) {
  buffer_ += encode_record(record);
  buffer_end_ = record.index + 1;
  schedule();
}

void LogWriter::schedule() {
  if (scheduled_ || writing_) {
    return;
  }
  scheduled_ = true;
  loop_.post([this, alive = alive_] {
    if (*alive) {
      flush();
    }
  });
}

void LogWriter::flush() {
  scheduled_ = false;
  if (writing_ || buffer_.empty()) {
    return;
  }
  batch_ = std::exchange(buffer_, {});
  batch_end_ = buffer_end_;
  writing_ = true;
  write_batch();
}

void LogWriter::write_batch() {
  store_.append(batch_, [this, alive = alive_](const Status& status) {
    if (*alive) {
      written(status);
    }
  });
}

void LogWriter::write_again() {
  retry_timer_ = {};
  write_batch();
}

void LogWriter::retry_now() {
  if (retry_timer_ == rt::TimerId{}) {
    return;
  }
  loop_.cancel(retry_timer_);
  write_again();
}

void LogWriter::written(const Status& status) {
  if (!status) {
    const bool news = trouble_ != status.error().message;
    trouble_ = status.error().message;
    retry_wait_ = std::clamp(retry_wait_ * 2, kRetryWaitMin, kRetryWaitMax);
    retry_timer_ = loop_.call_after(retry_wait_, [this] { write_again(); });
    if (news) {
      log_.error("log.unavailable", {{"reason", trouble_}});
      troubled_();
    }
    return;
  }
  const bool healed = !trouble_.empty();
  trouble_.clear();
  if (healed) {
    log_.info("log.available", {});
    troubled_();
  }
  retry_wait_ = {};
  batch_.clear();
  writing_ = false;
  const uint64_t end = batch_end_;
  flush();
  committed_(end);
}

}  // namespace muster::eventlog
