/** Step 4: sorts KVs in bounded buffers into runs, keeps runs in memory or spills them, and merges runs. */
@NullMarked
package io.sluice.importer.sort;

import org.jspecify.annotations.NullMarked;
