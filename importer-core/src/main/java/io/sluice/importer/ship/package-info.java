/** Step 6: syncs finished SSTs and hands them over to the storage node, beside the work that makes them. */
@NullMarked
package io.sluice.importer.ship;

import org.jspecify.annotations.NullMarked;
