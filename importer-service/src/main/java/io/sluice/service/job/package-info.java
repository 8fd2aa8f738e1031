/**
 * Jobs: their states and transitions, their durable records, and the registry. {@code io.sluice.service.run} runs the
 * imports.
 */
@NullMarked
package io.sluice.service.job;

import org.jspecify.annotations.NullMarked;
