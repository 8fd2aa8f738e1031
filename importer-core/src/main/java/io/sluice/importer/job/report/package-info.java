/** Builds the report of an import, and measures its steps. */
@NullMarked
package io.sluice.importer.job.report;

import org.jspecify.annotations.NullMarked;
