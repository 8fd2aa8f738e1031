/**
 * Statements on rows: sessions, transactions that see one snapshot and their own writes and commit all or nothing,
 * indexes and foreign keys kept true, conflicts found at commit; statements that run in the background of a transaction
 * at the same time, where none meets the keys of another. Tables are those of a store, or divided over several nodes:
 * then this is where transactions on them are coordinated, and where a node holds its part of one.
 */
@NullMarked
package io.sluice.node.sql;

import org.jspecify.annotations.NullMarked;
