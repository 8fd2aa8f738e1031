/**
 * Statements on rows: the engine with its sessions, statements executed in transactions, indexes and foreign keys kept
 * true; statements that run in the background of a transaction at the same time, where none meets the keys of another;
 * changes of single rows without statements. Whether tables are those of a store or divided over several nodes, only
 * the engine knows.
 */
@NullMarked
package io.sluice.node.sql;

import org.jspecify.annotations.NullMarked;
