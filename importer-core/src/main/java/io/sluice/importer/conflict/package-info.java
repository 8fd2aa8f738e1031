/**
 * Rows that collide on the key of a primary or unique index, and which of them give way: pure decisions, in the order
 * of the input.
 */
@NullMarked
package io.sluice.importer.conflict;

import org.jspecify.annotations.NullMarked;
