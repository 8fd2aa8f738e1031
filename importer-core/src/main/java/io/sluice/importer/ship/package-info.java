/** Step 6: finished SSTs on their way to the storage node, synced and handed over beside the work that makes them. */
@NullMarked
package io.sluice.importer.ship;

import org.jspecify.annotations.NullMarked;
