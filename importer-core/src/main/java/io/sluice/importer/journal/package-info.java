/**
 * Beside step 4: KVs that wait in sort buffers, written to local files as well, so that whoever goes on with an import
 * whose process was killed does not read their rows again.
 */
@NullMarked
package io.sluice.importer.journal;

import org.jspecify.annotations.NullMarked;
