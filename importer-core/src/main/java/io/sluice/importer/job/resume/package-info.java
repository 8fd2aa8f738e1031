/**
 * Resumes an import: checkpoint records, the description of the job, and the work of earlier attempts.
 *
 * <h2>Format of the records</h2>
 *
 * <p>Nodes keep each record under a key, as bytes: JSON. The records live as long as the import and have no version. A
 * build refuses a record with unknown members. Its message says that the build of the earlier attempt must go on.
 */
@NullMarked
package io.sluice.importer.job.resume;

import org.jspecify.annotations.NullMarked;
