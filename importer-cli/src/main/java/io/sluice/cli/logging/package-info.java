/** Configures logging in code, without a file to parse at every start. */
@NullMarked
package io.sluice.cli.logging;

import org.jspecify.annotations.NullMarked;
