#pragma once

#include "account/advice.h"

/// Rules about what grows while a job runs: one function for each row of the table.
namespace muster::account {

void memory_leak(const Rule& rule, const Evidence& evidence, std::vector<Advice>& advice);
void files_leak(const Rule& rule, const Evidence& evidence, std::vector<Advice>& advice);
void threads_leak(const Rule& rule, const Evidence& evidence, std::vector<Advice>& advice);
void disk_filling(const Rule& rule, const Evidence& evidence, std::vector<Advice>& advice);
void steps_slower(const Rule& rule, const Evidence& evidence, std::vector<Advice>& advice);

}  // namespace muster::account
