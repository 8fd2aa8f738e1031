/** Killed processes, power failures and damaged logs: nothing acknowledged is lost. */
@NullMarked
package io.sluice.it.crash;

import org.jspecify.annotations.NullMarked;
