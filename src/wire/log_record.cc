#include "wire/log_record.h"

#include "muster/event/v1/log.pb.h"
#include "wire/event_codec.h"
#include "wire/field_codec.h"

namespace muster::wire {

std::string encode_log_header(const LogHeader& header) {
  event::v1::LogHeader message;
  message.set_format(header.format);
  message.set_machine_version(header.machine_version);
  message.set_muster_version(put_name(header.muster_version));
  message.set_job_id(put_name(header.job_id));
  message.set_epoch(header.epoch.value);
  message.set_seed(header.seed);
  message.set_created_us(header.created.time_since_epoch().count());
  message.set_plan_json(header.plan_json);
  return message.SerializeAsString();
}

Result<LogHeader> decode_log_header(std::string_view bytes) {
  MUSTER_TRY(const event::v1::LogHeader message,
             parse<event::v1::LogHeader>(bytes, kPlanBytesMax, "log header"));
  LogHeader header;
  header.format = message.format();
  header.machine_version = message.machine_version();
  MUSTER_TRY_STATUS(get_name(message.muster_version(), header.muster_version, "version"));
  MUSTER_TRY_STATUS(get_name(message.job_id(), header.job_id, "job id"));
  header.epoch = job::Epoch(message.epoch());
  header.seed = message.seed();
  header.created = WallTime(Duration(message.created_us()));
  header.plan_json = message.plan_json();
  return header;
}

std::string encode_log_record(const LogRecord& record) {
  event::v1::LogRecord message;
  message.set_index(record.index);
  message.set_at_us(record.at.time_since_epoch().count());
  message.set_wall_us(record.wall.time_since_epoch().count());
  put(record.fact, *message.mutable_fact());
  return message.SerializeAsString();
}

Result<LogRecord> decode_log_record(std::string_view bytes) {
  MUSTER_TRY(const event::v1::LogRecord message,
             parse<event::v1::LogRecord>(bytes, kFactBytesMax, "log record"));
  LogRecord record;
  record.index = message.index();
  record.at = Time(Duration(message.at_us()));
  record.wall = WallTime(Duration(message.wall_us()));
  MUSTER_TRY_STATUS(required(message.has_fact(), get(message.fact(), record.fact), "fact"));
  return record;
}

}  // namespace muster::wire
