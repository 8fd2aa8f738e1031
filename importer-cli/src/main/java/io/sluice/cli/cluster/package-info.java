/** {@code sluice cluster}: the nodes of a cluster. */
@NullMarked
package io.sluice.cli.cluster;

import org.jspecify.annotations.NullMarked;
