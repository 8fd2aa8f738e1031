/**
 * Reads the history of any RocksDB database from its MANIFEST, without opening or changing the database.
 *
 * <p>A MANIFEST is a file of records in the framing of RocksDB's write-ahead log ({@code db/log_format.h}); each record
 * is a version edit ({@code db/version_edit.h}): the added and removed files and column families.
 */
@NullMarked
package io.sluice.engine.lsm.manifest;

import org.jspecify.annotations.NullMarked;
