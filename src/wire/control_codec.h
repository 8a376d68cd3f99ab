#pragma once

#include "base/result.h"
#include "job/action.h"
#include "job/outcome.h"
#include "job/view.h"
#include "wire/frame.h"

/// Messages of proto/muster/control/v1 that several frames share ⇄ domain types; the rules are
/// event_codec.h's.
namespace muster::control::v1 {
class Outcome;
class Output;
class PrepareAttempt;
class StartAttempt;
class StopAttempt;
class View;
}  // namespace muster::control::v1

namespace muster::wire {

void put(const job::View& value, control::v1::View& message);
Status get(const control::v1::View& message, job::View& value);

void put(const job::PrepareAttempt& value, control::v1::PrepareAttempt& message);
Status get(const control::v1::PrepareAttempt& message, job::PrepareAttempt& value);

void put(const job::StartAttempt& value, control::v1::StartAttempt& message);
Status get(const control::v1::StartAttempt& message, job::StartAttempt& value);

void put(const job::StopAttempt& value, control::v1::StopAttempt& message);
Status get(const control::v1::StopAttempt& message, job::StopAttempt& value);

void put(const Output& value, control::v1::Output& message);
Status get(const control::v1::Output& message, Output& value);

void put(const job::Outcome& value, control::v1::Outcome& message);
Status get(const control::v1::Outcome& message, job::Outcome& value);

}  // namespace muster::wire
