/** Processes, nodes, services and rows that tests of several packages use. */
@NullMarked
package io.sluice.it.support;

import org.jspecify.annotations.NullMarked;
