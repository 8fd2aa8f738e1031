/** Memory options: parsing of sizes, and defaults as shares of the machine's memory. */
@NullMarked
package io.sluice.cli.memory;

import org.jspecify.annotations.NullMarked;
