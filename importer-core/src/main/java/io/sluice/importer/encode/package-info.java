/** Step 3: one row to the KVs of all indexes, written straight into the memory where they will be sorted. */
@NullMarked
package io.sluice.importer.encode;

import org.jspecify.annotations.NullMarked;
