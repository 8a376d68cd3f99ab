#include "scalars/event_file.h"

#include "scalars/event_bytes_test.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>

namespace muster::scalars {
namespace {

constexpr double kNow = 1700000000.5;

std::vector<Scalar> read(EventFile& file, std::string_view bytes) {
  std::vector<Scalar> scalars;
  file.take(bytes, scalars);
  return scalars;
}

std::vector<Scalar> read(std::string_view bytes) {
  EventFile file;
  return read(file, bytes);
}

std::string loss_at(int64_t step, float value) {
  return record(event(kNow, step, simple_value("loss", value)));
}

TEST(EventFile, ReadsSimpleValuesOfVersion1) {
  const std::string head = record(double_field(1, kNow) + bytes_field(3, "brain.Event:2"));
  const std::vector<Scalar> scalars = read(head + loss_at(0, 0.5F) + loss_at(1, 0.25F));
  ASSERT_EQ(scalars.size(), 2U);
  EXPECT_EQ(scalars[0].name, "loss");
  EXPECT_EQ(scalars[0].step, 0);
  EXPECT_EQ(scalars[0].value, 0.5);
  EXPECT_EQ(scalars[1].step, 1);
  EXPECT_EQ(scalars[1].at, wall_time_of(kNow));
}

TEST(EventFile, ReadsTensorsOfVersion2) {
  const std::string as_list = number_field(1, 1) + bytes_field(2, "") + float_field(5, 1.5F);
  const std::string packed = number_field(1, 2) + bytes_field(2, "") + bytes_field(6, raw(2.5));
  const std::string content =
      number_field(1, 9) + bytes_field(2, "") + bytes_field(4, raw<int64_t>(-3));
  const std::string half = number_field(1, 19) + bytes_field(2, "") + number_field(13, 0x3E00);
  const std::string bfloat = number_field(1, 14) + bytes_field(13, varint(0xC000));
  const std::vector<Scalar> scalars = read(record(event(kNow, 7, tensor_value("a", as_list))) +
                                           record(event(kNow, 7, tensor_value("b", packed))) +
                                           record(event(kNow, 7, tensor_value("c", content))) +
                                           record(event(kNow, 7, tensor_value("d", half))) +
                                           record(event(kNow, 7, tensor_value("e", bfloat))));
  ASSERT_EQ(scalars.size(), 5U);
  EXPECT_EQ(scalars[0].value, 1.5);
  EXPECT_EQ(scalars[1].value, 2.5);
  EXPECT_EQ(scalars[2].value, -3);
  EXPECT_EQ(scalars[3].value, 1.5);
  EXPECT_EQ(scalars[4].value, -2);
}

TEST(EventFile, PassesOverWhatIsNoScalar) {
  const std::string text = number_field(1, 7) + bytes_field(8, "hello");
  const std::string vector = number_field(1, 1) +
                             bytes_field(2, bytes_field(2, number_field(1, 2))) +
                             bytes_field(4, "12345678");
  const std::string one = number_field(1, 1) + float_field(5, 1);
  EventFile file;
  EXPECT_TRUE(read(file, record(event(kNow, 1, tensor_value("text", text, "text"))) +
                             record(event(kNow, 1, tensor_value("vector", vector))) +
                             record(event(kNow, 1, tensor_value("plugin", one, "images"))) +
                             record(double_field(1, kNow) + bytes_field(4, "a graph")))
                  .empty());
  EXPECT_EQ(file.counts(),
            (EventFile::Counts{.records = 4, .damaged = 0, .large = 0, .unnamed = 0}));
}

TEST(EventFile, KeepsNanAndInfiniteValues) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const std::vector<Scalar> scalars =
      read(loss_at(1, std::nanf("")) + loss_at(2, kInfinity) + loss_at(3, -kInfinity));
  ASSERT_EQ(scalars.size(), 3U);
  EXPECT_TRUE(std::isnan(scalars[0].value));
  EXPECT_EQ(scalars[1].value, std::numeric_limits<double>::infinity());
  EXPECT_EQ(scalars[2].value, -std::numeric_limits<double>::infinity());
}

TEST(EventFile, WaitsForTheRestOfARecord) {
  const std::string bytes = loss_at(1, 0.5F) + loss_at(2, 0.25F);
  EventFile file;
  std::vector<Scalar> scalars;
  for (const char byte : bytes) {
    file.take({&byte, 1}, scalars);
  }
  ASSERT_EQ(scalars.size(), 2U);
  EXPECT_EQ(scalars[1].value, 0.25);
  EXPECT_EQ(file.size_bytes(), bytes.size());
}

TEST(EventFile, PassesOverLargeRecordsWithoutKeepingThem) {
  const std::string graph(EventFile::kRecordBytesMax + 1, 'g');
  const std::string bytes = record(graph) + loss_at(1, 0.5F);
  EventFile file;
  std::vector<Scalar> scalars;
  for (size_t at = 0; at < bytes.size(); at += 1000) {
    file.take(std::string_view(bytes).substr(at, 1000), scalars);
  }
  ASSERT_EQ(scalars.size(), 1U);
  EXPECT_EQ(file.counts().large, 1U);
  EXPECT_EQ(file.trouble(), "");
}

TEST(EventFile, PassesOverDamagedRecords) {
  std::string damaged = loss_at(1, 0.5F);
  damaged[20] = static_cast<char>(damaged[20] ^ 1);
  EventFile file;
  const std::vector<Scalar> scalars =
      read(file, damaged + record("\x0f not a message") + loss_at(2, 0.25F));
  ASSERT_EQ(scalars.size(), 1U);
  EXPECT_EQ(scalars[0].step, 2);
  EXPECT_EQ(file.counts().damaged, 2U);
}

TEST(EventFile, StopsWhereALengthIsDamaged) {
  std::string bytes = loss_at(1, 0.5F);
  const size_t whole = bytes.size();
  bytes += "this is not a TFRecord at all";
  EventFile file;
  EXPECT_EQ(read(file, bytes).size(), 1U);
  EXPECT_EQ(file.trouble(), "not a TFRecord at byte " + std::to_string(whole) +
                                ": the checksum of its length does not match");
  EXPECT_TRUE(read(file, loss_at(2, 0.25F)).empty());
}

TEST(EventFile, HoldsAgainstALengthWithoutEnd) {
  const std::string length = raw<uint64_t>(UINT64_MAX);
  EventFile file;
  EXPECT_TRUE(read(file, length + raw(masked_crc32c(length)) + loss_at(1, 1)).empty());
  EXPECT_TRUE(read(file, loss_at(2, 1)).empty());
  EXPECT_EQ(file.counts().large, 1U);
}

TEST(EventFile, RefusesNamesThatCannotBeKept) {
  EventFile file;
  const std::string bytes = record(event(kNow, 1, simple_value(std::string(10240, 'x'), 1))) +
                            record(event(kNow, 1, simple_value("\x1b[2J", 1))) +
                            record(event(kNow, 1, simple_value("\xff", 1))) +
                            record(event(kNow, 1, simple_value("", 1))) +
                            record(event(kNow, 1, simple_value("<b>&\"loss\"</b>", 1)));
  const std::vector<Scalar> scalars = read(file, bytes);
  ASSERT_EQ(scalars.size(), 1U);
  EXPECT_EQ(scalars[0].name, "<b>&\"loss\"</b>");
  EXPECT_EQ(file.counts().unnamed, 4U);
}

TEST(EventFile, TakesNoTimeFromAClockThatIsWrong) {
  for (const double time : {-1.0, 0.0, 1e300, std::nan("")}) {
    const std::vector<Scalar> scalars = read(record(event(time, 1, simple_value("loss", 1))));
    ASSERT_EQ(scalars.size(), 1U);
    EXPECT_FALSE(scalars[0].at.has_value()) << time;
  }
}

// What real writers produce, with everything they add: PyTorch's SummaryWriter (both styles, NaN, a
// text, an image, hyperparameters), TensorFlow's FileWriter of version 1 and writer of version 2.
std::string written_by(const std::string& writer) {
  std::ifstream file(MUSTER_SOURCE_DIR "/fuzz/corpus/scalars/" + writer, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(EventFile, ReadsWhatPytorchWrites) {
  EventFile file;
  const std::vector<Scalar> scalars = read(file, written_by("torch"));
  std::string names;
  for (const Scalar& scalar : scalars) {
    names += scalar.name + "@" + std::to_string(scalar.step.value_or(-1)) + " ";
    EXPECT_TRUE(scalar.at.has_value());
  }
  EXPECT_EQ(names, "train/loss@0 lr@0 train/loss@1 lr@1 train/loss@2 lr@2 precise@3 ");
  EXPECT_EQ(scalars.at(0).value, 0.5);
  EXPECT_TRUE(std::isnan(scalars.at(2).value));
  EXPECT_TRUE(std::isinf(scalars.at(4).value));
  EXPECT_EQ(scalars.at(1).value, 0.1F);
  EXPECT_EQ(scalars.at(6).value, 0.1);
  EXPECT_EQ(file.trouble(), "");
  EXPECT_EQ(file.counts().damaged, 0U);
}

TEST(EventFile, ReadsWhatTensorflowWrites) {
  const std::vector<Scalar> first = read(written_by("tensorflow1"));
  ASSERT_EQ(first.size(), 3U);
  EXPECT_EQ(first[2].name, "loss");
  EXPECT_EQ(first[2].value, 0);
  EXPECT_EQ(first[2].step, 2);
  const std::vector<Scalar> second = read(written_by("tensorflow2"));
  ASSERT_EQ(second.size(), 7U);
  EXPECT_EQ(second[2].name, "epoch_loss");
  EXPECT_EQ(second[2].value, 0.5);
  EXPECT_EQ(second[5].name, "steps");
  EXPECT_EQ(second[5].value, 20);
  EXPECT_EQ(second[6].value, 1.5);
}

TEST(EventFile, IsKnownByItsName) {
  EXPECT_TRUE(is_event_file("events.out.tfevents.1700000000.host.4711.0"));
  EXPECT_TRUE(is_event_file("events.out.tfevents.1700000000.host"));
  EXPECT_FALSE(is_event_file("model.pt"));
  EXPECT_EQ(writer_of("events.out.tfevents.1700000000.host.4711.0"), 4711);
  EXPECT_EQ(writer_of("events.out.tfevents.1700000000.h1.example.org.4711.0.v2"), 4711);
  EXPECT_EQ(writer_of("events.out.tfevents.1700000000.host"), 0);
  EXPECT_EQ(writer_of("events.out.tfevents.1700000000.h.-5.0"), 0);
}

}  // namespace
}  // namespace muster::scalars
