/** Output of commands: text that does not lose write errors, rows as CSV and JSON, aligned tables. */
@NullMarked
package io.sluice.cli.output;

import org.jspecify.annotations.NullMarked;
