/**
 * Resolves conflicts between rows with the same key in the primary or a unique index: pure functions in the order of
 * the input.
 */
@NullMarked
package io.sluice.importer.conflict;

import org.jspecify.annotations.NullMarked;
