/** The kinds of failure that reach a user, each with what happened, where, and what to do about it. */
@NullMarked
package io.sluice.api.error;

import org.jspecify.annotations.NullMarked;
