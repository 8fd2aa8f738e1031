/**
 * Transactions on the KVs of tables: each sees one snapshot with its own writes over it and commits all of them or
 * nothing; conflicts are found at commit, by the keys that were written and those that were read to decide whether they
 * may be. {@code Tables} and {@code Snapshot} are what a transaction stands on; those of one store, and how its commits
 * follow one another, are here. Statements are not known.
 */
@NullMarked
package io.sluice.node.transaction;

import org.jspecify.annotations.NullMarked;
