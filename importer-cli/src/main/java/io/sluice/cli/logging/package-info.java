/** Where the log goes, set up without a configuration file to be parsed at every start. */
@NullMarked
package io.sluice.cli.logging;

import org.jspecify.annotations.NullMarked;
