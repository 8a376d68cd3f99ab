#include "os/host/host_activity.h"

#include <gtest/gtest.h>

namespace muster::os {
namespace {

TEST(HostActivity, ReadsTheKernelsTexts) {
  const HostActivity activity = parse_host_activity(
      {.loadavg = "0.52 0.58 0.59 3/602 12345\n",
       .meminfo = "MemTotal:       16000 kB\nMemFree: 5 kB\nMemAvailable:    8000 kB\n",
       .cpu_pressure = "some avg10=1.23 avg60=0.50 avg300=0.10 total=1\nfull avg10=0.00 ...\n",
       .memory_pressure = "some avg10=0.00 avg60=0.00 avg300=0.00 total=0\n",
       .io_pressure = "",
       .diskstats = "   8       0 sda 10 0 100 5 20 0 200 9 0 1 2\n"
                    "   8       1 sda1 10 0 100 5 20 0 200 9 0 1 2\n"
                    " 259       0 nvme0n1 1 0 8 5 2 0 16 9 0 1 2\n"
                    " 259       1 nvme0n1p1 1 0 8 5 2 0 16 9 0 1 2\n"
                    " 253       0 dm-0 1 0 8 5 2 0 16 9 0 1 2\n"
                    "   7       0 loop0 1 0 8 5 2 0 16 9 0 1 2\n",
       .net_dev = "Inter-|   Receive  |  Transmit\n"
                  " face |bytes    packets errs drop fifo frame compressed multicast|bytes\n"
                  "    lo: 1000 1 0 0 0 0 0 0 1000 1 0 0 0 0 0 0\n"
                  "  eth0: 300 1 0 0 0 0 0 0 70 1 0 0 0 0 0 0\n"
                  "  ib0:5 1 0 0 0 0 0 0 6 1 0 0 0 0 0 0\n"});
  const HostActivity expected{.load = 0.52,
                              .memory_available_bytes = 8000U << 10,
                              .memory_bytes = 16000U << 10,
                              .cpu_pressure = 0.0123,
                              .memory_pressure = 0.0,
                              .io_pressure = std::nullopt,
                              .disk_read_bytes = 108U * 512,
                              .disk_written_bytes = 216U * 512,
                              .received_bytes = 305,
                              .sent_bytes = 76};
  EXPECT_EQ(activity, expected);
}

TEST(HostActivity, WhatCannotBeReadIsMissing) {
  EXPECT_EQ(parse_host_activity({}), HostActivity());
  EXPECT_EQ(parse_host_activity({.loadavg = "nan x",
                                 .meminfo = "MemTotal: many kB\n",
                                 .cpu_pressure = "some avg10=-1 ",
                                 .diskstats = "8 0 sda x\n8 0 sda 1 2 x 4 5 6 7 8\n",
                                 .net_dev = "eth0: 1 2\n"}),
            HostActivity());
}

TEST(HostActivity, SeesThisHost) {
  const HostActivity activity = read_host_activity();
  EXPECT_TRUE(activity.load.has_value());
  ASSERT_TRUE(activity.memory_bytes.has_value());
  EXPECT_GT(*activity.memory_bytes, 64U << 20);
  EXPECT_LE(activity.memory_available_bytes.value_or(0), *activity.memory_bytes);
}

}  // namespace
}  // namespace muster::os
