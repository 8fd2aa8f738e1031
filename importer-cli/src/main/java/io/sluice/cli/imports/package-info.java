/** The command {@code import}: its options, how it is wired, and the report it ends with. */
@NullMarked
package io.sluice.cli.imports;

import org.jspecify.annotations.NullMarked;
