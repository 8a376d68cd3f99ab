#pragma once

#include "account/advice.h"

#include <vector>

/// Rules about what is requested and what is used; Rule::judge of each.
namespace muster::account {

void memory_near_limit(const Rule& rule, const Evidence& evidence, std::vector<Advice>& advice);
void memory_far_from_use(const Rule& rule, const Evidence& evidence, std::vector<Advice>& advice);
void cores_near_limit(const Rule& rule, const Evidence& evidence, std::vector<Advice>& advice);
void cores_held_back(const Rule& rule, const Evidence& evidence, std::vector<Advice>& advice);
void cores_far_from_use(const Rule& rule, const Evidence& evidence, std::vector<Advice>& advice);
void gpu_input_bound(const Rule& rule, const Evidence& evidence, std::vector<Advice>& advice);
void gpu_starved(const Rule& rule, const Evidence& evidence, std::vector<Advice>& advice);
void gpu_unused(const Rule& rule, const Evidence& evidence, std::vector<Advice>& advice);
void gpu_memory_far_from_use(const Rule& rule, const Evidence& evidence,
                             std::vector<Advice>& advice);
void gpu_compute_bound(const Rule& rule, const Evidence& evidence, std::vector<Advice>& advice);
void ps_saturated(const Rule& rule, const Evidence& evidence, std::vector<Advice>& advice);
void staging_again(const Rule& rule, const Evidence& evidence, std::vector<Advice>& advice);

}  // namespace muster::account
