/** Runs one attempt at an import, step by step, and ends an import that cannot finish. */
@NullMarked
package io.sluice.importer.job.attempt;

import org.jspecify.annotations.NullMarked;
