/**
 * Runs jobs: the scheduler, one attempt at a job from its request to its outcome, undoing cancelled jobs, and the
 * progress.
 */
@NullMarked
package io.sluice.service.run;

import org.jspecify.annotations.NullMarked;
