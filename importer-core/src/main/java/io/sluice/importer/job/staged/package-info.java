/**
 * Staged sets: the sorted files of one table, built by one process and ingested by another, perhaps on another machine.
 *
 * <h2>Format, version 1</h2>
 *
 * <p>A set is a directory, or the objects below a prefix of an object store:
 *
 * <pre>
 *   manifest.json   what the set holds; written last, atomically, and synced with its directory
 *   UUID.sst        SSTs; those of one index do not overlap
 * </pre>
 *
 * <p>Without a manifest there is no set. Files that the manifest does not name are not part of the set.
 *
 * <p>The manifest is UTF-8 text on two lines:
 *
 * <pre>
 *   {"sha256":"64 hexadecimal digits","set":
 *   {...}}
 * </pre>
 *
 * <p>The digits are the SHA-256 of the second line without its last brace: the bytes of the member {@code set}. Any
 * edit, and any cut, changes them. {@link io.sluice.importer.job.staged.StagedManifest} lists the members, and
 * docs/reference/staged-set.schema.json is their JSON schema. The member {@code version} is read first: a later version
 * is refused.
 *
 * <p>Keys and values are encoded for the table id of the manifest. Each SST is also a bucket: the manifest holds the
 * checksum of its KVs, which does not depend on the table id.
 *
 * <p>A backup of all tables is a set for each, in directories or prefixes below one place, and a list of them
 * ({@link io.sluice.importer.job.staged.StoreBackup}).
 *
 * <p>A set for RocksDB has the same files. Its SSTs hold plain keys and values, as docs/how-to/rocksdb.md describes
 * them, and no ids.
 */
@NullMarked
package io.sluice.importer.job.staged;

import org.jspecify.annotations.NullMarked;
