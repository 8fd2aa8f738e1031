/** Step 3: encodes a row into the KVs of all indexes, directly in the memory where they are sorted. */
@NullMarked
package io.sluice.importer.encode;

import org.jspecify.annotations.NullMarked;
