/** What a long command shows while it works: a line drawn over itself on a terminal, a line now and then elsewhere. */
@NullMarked
package io.sluice.cli.progress;

import org.jspecify.annotations.NullMarked;
