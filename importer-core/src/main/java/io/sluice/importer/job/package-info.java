/** Runs one import from its files to a visible table: the steps, settings, progress and report of an import. */
@NullMarked
package io.sluice.importer.job;

import org.jspecify.annotations.NullMarked;
