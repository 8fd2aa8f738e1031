/** The commands {@code import} and {@code replay}: options, wiring, and report. */
@NullMarked
package io.sluice.cli.imports;

import org.jspecify.annotations.NullMarked;
