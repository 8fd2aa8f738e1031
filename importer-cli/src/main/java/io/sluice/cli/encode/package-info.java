/** The command {@code encode}: what rows become, without a store. */
@NullMarked
package io.sluice.cli.encode;

import org.jspecify.annotations.NullMarked;
