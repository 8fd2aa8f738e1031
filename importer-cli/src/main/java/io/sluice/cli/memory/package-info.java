/** How much memory a command may take: sizes as options have them, and shares of what the machine has. */
@NullMarked
package io.sluice.cli.memory;

import org.jspecify.annotations.NullMarked;
