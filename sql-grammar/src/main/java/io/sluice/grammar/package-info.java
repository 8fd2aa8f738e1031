/**
 * Statements on rows, from text to what they ask for: cut at semicolons, parsed, bound to the tables they name, with
 * typed expressions, and with conditions as key spans where an index covers them. Executing them is the storage node's.
 */
@NullMarked
package io.sluice.grammar;

import org.jspecify.annotations.NullMarked;
