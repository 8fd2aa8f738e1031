/** The command {@code encode}: prints the KVs of rows without a store. */
@NullMarked
package io.sluice.cli.encode;

import org.jspecify.annotations.NullMarked;
