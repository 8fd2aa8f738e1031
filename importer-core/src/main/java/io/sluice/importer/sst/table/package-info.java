/**
 * RocksDB's block-based table format, written in plain Java: sorted KVs in, the bytes of an SST out.
 *
 * <p>A table is a sequence of blocks, each followed by a trailer of five bytes, and a footer:
 *
 * <pre>
 *   data block 1 .. n     entries in key order
 *   filter block          one Bloom filter over all user keys
 *   index block           one entry per data block: separator key, offset, size
 *   properties block      name -> value, sorted by name
 *   meta index block      name of a meta block -> its offset and size
 *   footer                53 bytes: where the meta index and the index are
 *
 *   trailer               compression type (0: none), checksum of block and type: XXH3's lower half (fixed32)
 *   footer                checksum type, two block handles padded to 40 bytes, format version (fixed32),
 *                         magic number 0x88e241b785f4cff7 (fixed64)
 *   block handle          offset, size without the trailer (varint64 each)
 * </pre>
 *
 * A block holds entries whose keys share a prefix with the key before, and restart points at which none is shared:
 *
 * <pre>
 *   entry                 shared, unshared, value length (varint32 each), unshared key bytes, value
 *   end of block          offset of each restart point (fixed32), their number (fixed32)
 * </pre>
 *
 * <p>Data blocks restart every 16 entries. Their keys are internal keys: the user key, then eight bytes that say
 * "sequence number 0, put", which ingestion requires. The index restarts at every entry, holds user keys, and leaves
 * the value length out, because a block handle tells its own length (since format version 4).
 *
 * <p>Format version 5: the newest whose block checksums do not depend on where a block lies, and the one whose Bloom
 * filter keeps all probes of a key in one cache line. Numbers are little-endian.
 *
 * <p>Sources, at version 11.8: {@code table/block_based/block_builder.cc} (entries), {@code flush_block_policy.cc}
 * (where blocks end), {@code index_builder.h} and {@code util/comparator.cc} (separators), {@code filter_policy.cc},
 * {@code util/bloom_impl.h} and {@code util/xxph3.h} (filter), {@code table/meta_blocks.cc} (properties),
 * {@code table/format.cc} (trailer, footer), {@code table/sst_file_writer.cc} (what an external file must say of
 * itself).
 */
@NullMarked
package io.sluice.importer.sst.table;

import org.jspecify.annotations.NullMarked;
