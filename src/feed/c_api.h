#pragma once

#include <stdint.h>

/// The C interface of the feed library, for ctypes. A handle is made and freed by its own pair
/// of calls; every call that can fail returns an mf_status, whose sentence mf_error() then gives.
/// Timeouts are in milliseconds; negative waits forever.
// NOLINTBEGIN(readability-identifier-naming, modernize-use-using): C, with one prefix.
#ifdef __cplusplus
extern "C" {
#endif

typedef enum mf_status {
  MF_OK = 0,
  MF_FAILED = 1,  ///< Anything that no caller distinguishes.
  MF_TIMED_OUT = 2,
  MF_INTERRUPTED = 3,  ///< A signal came: run handlers and call again with the same arguments.
  MF_GONE = 4,         ///< The other side has ended.
  MF_NO_SPACE = 5,
  MF_CORRUPT = 6,
  MF_UNSUPPORTED = 7,  ///< No columns for this: pickle it.
  MF_INVALID = 8,
} mf_status;

typedef struct mf_inbox mf_inbox;
typedef struct mf_lease mf_lease;
typedef struct mf_producer mf_producer;
typedef struct mf_encoder mf_encoder;

/// What the last failed call of this thread said; valid until the thread's next failure.
const char* mf_error(void);
/// The version of this interface: loaders refuse another.
uint32_t mf_version(void);

// ---- the reading program

/// `by_partition`: read one ring's partition to its end before the next (inference). `folder` is
/// for the memory where the kernel has no memfd or too little is left.
mf_status mf_inbox_new(int by_partition, const char* folder, mf_inbox** inbox);
void mf_inbox_free(mf_inbox* inbox);
/// Makes a ring; `on_disk` is set if memory was short.
mf_status mf_inbox_add(mf_inbox* inbox, uint32_t blocks, uint64_t block_bytes, uint64_t* ring,
                       int* on_disk);
int mf_inbox_ring_fd(mf_inbox* inbox, uint64_t ring);
int mf_inbox_doorbell_fd(mf_inbox* inbox);
void mf_inbox_producer_gone(mf_inbox* inbox, uint64_t ring);

/// One column or inner node of a block; see feed/block.h for what the words mean. Pointers live
/// as long as the lease.
typedef struct mf_node {
  uint8_t look;
  uint8_t item;
  uint8_t variable;
  uint8_t dimensions;
  uint32_t children;
  uint32_t subtree;
  uint32_t name_bytes;
  const char* name;
  uint64_t width;
  void* values;
  uint64_t values_bytes;
  const int64_t* offsets;
  const uint8_t* validity;
  uint64_t shape[8];
} mf_node;

typedef struct mf_received {
  uint64_t ring;
  uint64_t sequence;
  uint64_t rows;
  uint64_t first_row;
  uint32_t kind;    ///< 1 block, 3 end of partition, 4 end of the feed.
  uint32_t nodes;   ///< Of a block.
  mf_lease* lease;  ///< Of a block, to be freed; else null.
  mf_node root;     ///< Of a block: the row, the first of its nodes.
} mf_received;
mf_status mf_inbox_receive(mf_inbox* inbox, int64_t timeout_ms, mf_received* received);
void mf_inbox_consumed(mf_inbox* inbox, uint64_t ring, uint64_t sequence);
void mf_inbox_end(mf_inbox* inbox);
void mf_inbox_terminate(mf_inbox* inbox);
int mf_inbox_terminated(mf_inbox* inbox);
void mf_inbox_close(mf_inbox* inbox);

/// All nodes of a block, as many as mf_received said there are.
void mf_lease_nodes(const mf_lease* lease, mf_node* nodes);
int mf_lease_is_copy(const mf_lease* lease);
struct ArrowSchema;
struct ArrowArray;
mf_status mf_lease_arrow(const mf_lease* lease, struct ArrowSchema* schema,
                         struct ArrowArray* array);
void mf_lease_free(mf_lease* lease);

// ---- the feeding program

/// Takes ownership of both descriptors.
mf_status mf_producer_new(int ring_fd, int doorbell_fd, mf_producer** producer);
void mf_producer_free(mf_producer* producer);
uint64_t mf_producer_block_bytes(const mf_producer* producer);
/// 0 open, 1 the program terminates (rows are thrown away), 2 closed, 3 gone.
int mf_producer_reader(const mf_producer* producer);
/// The connection to the reader broke: every wait ends. May be called on any thread.
void mf_producer_reader_gone(mf_producer* producer);
/// Reserves a block of the ring for the next rows of the encoder, which writes them there.
mf_status mf_producer_reserve(mf_producer* producer, mf_encoder* encoder, int64_t timeout_ms);
mf_status mf_producer_put_encoded(mf_producer* producer, mf_encoder* encoder, int64_t timeout_ms);
mf_status mf_producer_put_pickled(mf_producer* producer, const void* bytes, uint64_t size,
                                  uint64_t rows, int64_t timeout_ms);
/// The batch stays the caller's. After MF_TIMED_OUT or MF_INTERRUPTED, call again with `*done` as
/// it was left (0 at first), which counts the rows that are in the ring.
mf_status mf_producer_put_arrow(mf_producer* producer, const struct ArrowSchema* schema,
                                const struct ArrowArray* array, uint64_t* done, int64_t timeout_ms);
/// kind: 3 end of partition, 4 end of the feed.
mf_status mf_producer_mark(mf_producer* producer, uint32_t kind, int64_t timeout_ms);
mf_status mf_producer_wait_consumed(mf_producer* producer, int64_t timeout_ms);
void mf_producer_close(mf_producer* producer);

// ---- Python objects: to be called with the interpreter's lock held (PyDLL)

/// The types are borrowed and must outlive the encoder; any of them may be null.
mf_encoder* mf_encoder_new(void* ndarray, void* numpy_scalar, void* row);
void mf_encoder_free(mf_encoder* encoder);
/// Forgets what a failed call left behind. Call before the first rows of a source.
void mf_encoder_start(mf_encoder* encoder);
/// Takes up to `rows` rows from an iterator, for `time_ms` at most, until the block has `bytes`
/// bytes; returns how many. *stop: 0 the source has no more (or raised: the Python error is set), 1
/// the block is full, 2 the next row has other columns, 3 the next row must be pickled, 4 there may
/// be more, 5 there are more and no block for them (mf_producer_reserve).
uint64_t mf_encoder_take(mf_encoder* encoder, void* iterator, uint64_t rows, uint64_t bytes,
                         int64_t time_ms, int* stop);
/// Returns the row that stopped mf_encoder_take() without being taken, in a list, and the encoder
/// gives it up; an empty list if there is none.
void* mf_encoder_take_kept(mf_encoder* encoder);
uint64_t mf_encoder_rows(const mf_encoder* encoder);
void mf_encoder_next_block(mf_encoder* encoder);
void mf_encoder_forget(mf_encoder* encoder);
/// Makes Python keep up to `most` bytes of the memory freed by its small objects, permanently.
void mf_keep_arenas(uint64_t most);
/// Returns a new list of rows [start, start + count); null with a Python error set.
void* mf_lease_to_rows(const mf_lease* lease, uint64_t start, uint64_t count, void* arrays,
                       void* make_row);

// ---- TFRecord files and tensorflow.Example, also with the interpreter's lock held

/// Returns the records of a list of bytes objects as they are stored in a file, as a bytes object.
/// Null, with mf_error(), if one is not bytes.
void* mf_tfrecord_frame(void* list);
/// Returns the whole records at the start of a piece of a file as a list of bytes; *used is how
/// much of it they take. Null, with mf_error(), if a checksum does not match.
void* mf_tfrecord_split(const char* text, uint64_t size, uint64_t* used);
/// One Example as a bytes object. `features` is a list of (name, kind, values): kind 1 is bytes,
/// 2 float, 3 int64; values a list of such Python values. Null, with mf_error(), for other values.
void* mf_example_encode(void* features);
/// Returns the same list from an Example's bytes; null, with mf_error(), if they are not one.
void* mf_example_decode(const char* message, uint64_t size);

#ifdef __cplusplus
}
#endif
// NOLINTEND(readability-identifier-naming, modernize-use-using)
