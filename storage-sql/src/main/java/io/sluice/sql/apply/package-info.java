/**
 * Applies change logs to tables. Lines are read, parsed, and grouped so that dependent changes stay in order. Several
 * threads write them in transactions that also store the position reached in the log.
 */
@NullMarked
package io.sluice.sql.apply;

import org.jspecify.annotations.NullMarked;
