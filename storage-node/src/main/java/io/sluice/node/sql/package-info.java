/**
 * Statements on rows: sessions, transactions that see one snapshot and their own writes and commit all or nothing,
 * indexes and foreign keys kept true, conflicts found at commit.
 */
@NullMarked
package io.sluice.node.sql;

import org.jspecify.annotations.NullMarked;
