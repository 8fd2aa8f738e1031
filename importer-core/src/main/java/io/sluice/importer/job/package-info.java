/** One import from its files to a visible table: the numbered story, its settings, its progress and its report. */
@NullMarked
package io.sluice.importer.job;

import org.jspecify.annotations.NullMarked;
