/**
 * Change logs applied to tables: lines read, parsed, grouped so that what depends on one another stays in order, and
 * written by several threads in transactions that also keep how far the log has been applied.
 */
@NullMarked
package io.sluice.node.apply;

import org.jspecify.annotations.NullMarked;
