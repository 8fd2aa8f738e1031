/** Imports in each mode and with each conflict policy: their rows, inputs, pauses, errors and memory. */
@NullMarked
package io.sluice.it.imports;

import org.jspecify.annotations.NullMarked;
