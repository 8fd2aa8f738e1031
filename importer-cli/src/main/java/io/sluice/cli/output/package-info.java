/** What commands print: text that does not lose write errors, rows as CSV and JSON, tables with aligned columns. */
@NullMarked
package io.sluice.cli.output;

import org.jspecify.annotations.NullMarked;
