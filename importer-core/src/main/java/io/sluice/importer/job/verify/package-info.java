/** Checks an import before it is published: checksums, differences, and rows with equal keys. */
@NullMarked
package io.sluice.importer.job.verify;

import org.jspecify.annotations.NullMarked;
