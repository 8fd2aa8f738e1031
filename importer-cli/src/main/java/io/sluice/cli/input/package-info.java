/** What {@code import} and {@code encode} share: how files are written, and the schema they are read by. */
@NullMarked
package io.sluice.cli.input;

import org.jspecify.annotations.NullMarked;
