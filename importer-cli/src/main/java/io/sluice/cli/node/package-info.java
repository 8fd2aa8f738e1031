/** The command {@code node}: a storage node as a process of its own. */
@NullMarked
package io.sluice.cli.node;

import org.jspecify.annotations.NullMarked;
