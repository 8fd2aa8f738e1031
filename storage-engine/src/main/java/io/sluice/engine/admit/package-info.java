/**
 * Admission of SSTs. Pure functions: from the request, the node's load and the previous state to a decision that names
 * the limiting signal.
 */
@NullMarked
package io.sluice.engine.admit;

import org.jspecify.annotations.NullMarked;
