/**
 * Running jobs: whose turn it is, one attempt at a job from its request to its outcome, undoing what was cancelled, and
 * what it looks like meanwhile.
 */
@NullMarked
package io.sluice.service.run;

import org.jspecify.annotations.NullMarked;
