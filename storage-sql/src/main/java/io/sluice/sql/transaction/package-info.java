/**
 * Transactions on the KVs of tables. Each reads one snapshot with its own writes on top, and commits atomically.
 * Conflicts are detected at commit (optimistic concurrency control): by the write set, and by the read set of keys on
 * which the writes depend. {@code Tables} and {@code Snapshot} are the interfaces to the data; {@code StoreTables} and
 * {@code Commits} implement them for one store. This package does not know SQL statements.
 */
@NullMarked
package io.sluice.sql.transaction;

import org.jspecify.annotations.NullMarked;
