/** Step 4: bounded memory buffers sorted into runs, runs kept in memory or spilled, and runs merged. */
@NullMarked
package io.sluice.importer.sort;

import org.jspecify.annotations.NullMarked;
