/** Resumes an import: checkpoint records, the description of the job, and the work of earlier attempts. */
@NullMarked
package io.sluice.importer.job.resume;

import org.jspecify.annotations.NullMarked;
