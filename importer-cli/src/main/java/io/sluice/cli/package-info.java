/** The command line {@code sluice}: one class per command, wired in {@link io.sluice.cli.Sluice}. */
@NullMarked
package io.sluice.cli;

import org.jspecify.annotations.NullMarked;
