#pragma once

#include "account/advice.h"

#include <vector>

/// Rules about where time is lost; Rule::judge of each.
namespace muster::account {

void steps_disk_bound(const Rule& rule, const Evidence& evidence, std::vector<Advice>& advice);
void memory_short(const Rule& rule, const Evidence& evidence, std::vector<Advice>& advice);
void java_garbage(const Rule& rule, const Evidence& evidence, std::vector<Advice>& advice);
void rank_slow(const Rule& rule, const Evidence& evidence, std::vector<Advice>& advice);
void gang_waits_for_last(const Rule& rule, const Evidence& evidence, std::vector<Advice>& advice);
void checkpoint_missing(const Rule& rule, const Evidence& evidence, std::vector<Advice>& advice);
void checkpoint_interval(const Rule& rule, const Evidence& evidence, std::vector<Advice>& advice);
void restarts_never_help(const Rule& rule, const Evidence& evidence, std::vector<Advice>& advice);
void tasks_too_small(const Rule& rule, const Evidence& evidence, std::vector<Advice>& advice);

}  // namespace muster::account
