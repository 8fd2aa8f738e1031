/**
 * The import, as steps: {@code source}, {@code decode}, {@code encode}, {@code sort}, {@code journal}, {@code sst},
 * {@code ship}, and {@code job}, which runs an import by calling them in order. A step may use the types of the steps
 * before it; only {@code job} sees them all.
 */
@NullMarked
package io.sluice.importer;

import org.jspecify.annotations.NullMarked;
