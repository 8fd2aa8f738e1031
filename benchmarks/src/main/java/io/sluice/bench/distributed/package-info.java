/** Measures statements on distributed tables, over connections with added latency. */
@NullMarked
package io.sluice.bench.distributed;

import org.jspecify.annotations.NullMarked;
