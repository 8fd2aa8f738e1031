/** Options that {@code import} and {@code encode} share: file formats, sources and the schema. */
@NullMarked
package io.sluice.cli.input;

import org.jspecify.annotations.NullMarked;
