/** Step 1: where bytes come from, and how they are cut into splits that begin and end with whole records. */
@NullMarked
package io.sluice.importer.source;

import org.jspecify.annotations.NullMarked;
