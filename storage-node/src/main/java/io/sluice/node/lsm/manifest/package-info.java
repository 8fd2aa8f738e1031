/**
 * The history of any RocksDB database from its MANIFEST, read without opening the database or changing anything.
 *
 * <p>A MANIFEST is a file of records in the framing of RocksDB's write-ahead log ({@code db/log_format.h}); each record
 * is a version edit ({@code db/version_edit.h}): which files came and went, and which column families.
 */
@NullMarked
package io.sluice.node.lsm.manifest;

import org.jspecify.annotations.NullMarked;
