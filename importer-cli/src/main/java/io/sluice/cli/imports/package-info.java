/** The command {@code import}: its options, and the report it ends with. */
@NullMarked
package io.sluice.cli.imports;

import org.jspecify.annotations.NullMarked;
