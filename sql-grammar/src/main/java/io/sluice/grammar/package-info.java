/**
 * Statements on rows, from text to what they ask for: cut at semicolons, parsed, bound to the tables they name, with
 * key conditions as key spans. Executing them is the storage node's.
 */
@NullMarked
package io.sluice.grammar;

import org.jspecify.annotations.NullMarked;
