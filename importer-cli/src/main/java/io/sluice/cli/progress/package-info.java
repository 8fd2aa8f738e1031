/** Progress output of long commands: a line that is redrawn on a terminal, periodic lines elsewhere. */
@NullMarked
package io.sluice.cli.progress;

import org.jspecify.annotations.NullMarked;
