/** Statements on tables that are divided over several nodes, behind connections that are longer than they are. */
@NullMarked
package io.sluice.bench.distributed;

import org.jspecify.annotations.NullMarked;
