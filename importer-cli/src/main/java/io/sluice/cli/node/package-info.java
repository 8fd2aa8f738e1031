/** The commands {@code node}, a storage node as a process of its own, and {@code recover}, for damaged logs. */
@NullMarked
package io.sluice.cli.node;

import org.jspecify.annotations.NullMarked;
