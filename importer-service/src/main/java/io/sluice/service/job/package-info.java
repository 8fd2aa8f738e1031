/**
 * Jobs: their states and transitions, their durable records, and the registry. {@code io.sluice.service.run} runs the
 * imports.
 *
 * <h2>Format of a job's directory</h2>
 *
 * <pre>
 *   job.json    a {@link io.sluice.service.job.JobRecord}, and the report of a job that succeeded
 *   spec.json   the request with its credentials
 * </pre>
 *
 * <p>Each is one JSON object, without a version of the format. Records may gain members: a build skips unknown ones. A
 * record that cannot be read stops the start of the service; its message names the file.
 */
@NullMarked
package io.sluice.service.job;

import org.jspecify.annotations.NullMarked;
