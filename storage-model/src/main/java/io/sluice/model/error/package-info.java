/** The failures that reach a user; each message says what failed, why, and what to do. */
@NullMarked
package io.sluice.model.error;

import org.jspecify.annotations.NullMarked;
