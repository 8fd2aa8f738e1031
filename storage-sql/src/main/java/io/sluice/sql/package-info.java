/**
 * Executes SQL statements. The engine runs sessions; statements run in transactions and maintain indexes and foreign
 * keys. Background statements of one transaction run in parallel if their spans do not conflict. {@code RowTransaction}
 * changes single rows without SQL. Only the engine knows whether tables are in one store or distributed over several
 * nodes.
 */
@NullMarked
package io.sluice.sql;

import org.jspecify.annotations.NullMarked;
