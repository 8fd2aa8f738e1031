/** {@code sluice sql}: statements from an option, from standard input, or typed at a prompt. */
@NullMarked
package io.sluice.cli.sql;

import org.jspecify.annotations.NullMarked;
