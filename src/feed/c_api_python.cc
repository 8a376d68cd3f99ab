#include "feed/c_api.h"
#include "feed/c_handles.h"
#include "feed/python_arenas.h"
#include "feed/row_decoder.h"
#include "feed/row_encoder.h"

// Separate from c_api.cc: only a process with an interpreter has the symbols that this file needs.

using muster::feed::BlockPlan;
using muster::feed::PyRef;
using muster::feed::RowEncoder;

// NOLINTNEXTLINE(readability-identifier-naming): c_api.h's.
struct mf_encoder {
  RowEncoder encoder;
};

mf_encoder* mf_encoder_new(void* ndarray, void* numpy_scalar, void* row) {
  return new mf_encoder{.encoder = RowEncoder({.ndarray = static_cast<PyObject*>(ndarray),
                                               .numpy_scalar = static_cast<PyObject*>(numpy_scalar),
                                               .row = static_cast<PyObject*>(row)})};
}

void mf_encoder_free(mf_encoder* encoder) { delete encoder; }

uint64_t mf_encoder_take(mf_encoder* encoder, void* iterator, uint64_t rows, uint64_t bytes,
                         int64_t time_ms, int* stop) {
  RowEncoder::Stop why = RowEncoder::Stop::End;
  const RowEncoder::Most most{
      .rows = rows, .bytes = bytes, .time = std::chrono::milliseconds(time_ms)};
  const uint64_t taken = encoder->encoder.take(static_cast<PyObject*>(iterator), most, why);
  *stop = static_cast<int>(why);
  return taken;
}

void* mf_encoder_take_kept(mf_encoder* encoder) {
  PyRef row = encoder->encoder.take_kept();
  PyRef list = PyRef::own(PyList_New(row ? 1 : 0));
  if (list && row) {
    PyList_SetItem(list.get(), 0, row.release());
  }
  return list.release();
}

uint64_t mf_encoder_rows(const mf_encoder* encoder) { return encoder->encoder.rows(); }

void mf_encoder_start(mf_encoder* encoder) {
  const PyRef kept = encoder->encoder.take_kept();
  encoder->encoder.next_block();
}

void mf_encoder_next_block(mf_encoder* encoder) { encoder->encoder.next_block(); }

void mf_encoder_forget(mf_encoder* encoder) { encoder->encoder.forget(); }

mf_status mf_producer_reserve(mf_producer* producer, mf_encoder* encoder, int64_t timeout_ms) {
  std::span<std::byte> block;
  const mf_status status = mf_producer_reserve_block(producer, timeout_ms, &block);
  if (status == MF_OK) {
    encoder->encoder.use(block);
  }
  return status;
}

mf_status mf_producer_put_encoded(mf_producer* producer, mf_encoder* encoder, int64_t timeout_ms) {
  RowEncoder& rows = encoder->encoder;
  if (rows.in_place()) {
    return mf_producer_publish_block(producer, rows.finish(), rows.rows(), timeout_ms);
  }
  rows.leave();
  const muster::feed::Column column = rows.column();
  const BlockPlan plan(column, rows.rows());
  return mf_producer_put_plan(producer, &plan, timeout_ms);
}

void mf_keep_arenas(uint64_t most) { muster::feed::keep_arenas(most); }

void* mf_lease_to_rows(const mf_lease* lease, uint64_t start, uint64_t count, void* arrays,
                       void* make_row) {
  return muster::feed::rows_of(
      lease->view, start, count,
      {.arrays = static_cast<PyObject*>(arrays), .make_row = static_cast<PyObject*>(make_row)});
}
