#pragma once

#include "base/result.h"
#include "job/fact.h"
#include "job/failure.h"
#include "job/ids.h"
#include "job/view.h"

/// Messages of proto/muster/event/v1 ⇄ domain types. `put` fills an empty message; `get` returns
/// Corrupt for anything missing, unknown or out of bounds.
namespace muster::event::v1 {
class Address;
class AgentReported;
class AttemptId;
class Exit;
class Fact;
class Failure;
}  // namespace muster::event::v1

namespace muster::wire {

void put(const job::AttemptId& value, event::v1::AttemptId& message);
Status get(const event::v1::AttemptId& message, job::AttemptId& value);

void put(const job::Address& value, event::v1::Address& message);
Status get(const event::v1::Address& message, job::Address& value);

void put(const job::Failure& value, event::v1::Failure& message);
Status get(const event::v1::Failure& message, job::Failure& value);

void put(const job::Exit& value, event::v1::Exit& message);
Status get(const event::v1::Exit& message, job::Exit& value);

void put(const job::AgentReported& value, event::v1::AgentReported& message);
Status get(const event::v1::AgentReported& message, job::AgentReported& value);

void put(const job::Fact& value, event::v1::Fact& message);
Status get(const event::v1::Fact& message, job::Fact& value);

}  // namespace muster::wire
