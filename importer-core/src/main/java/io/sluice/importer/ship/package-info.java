/** Step 6: finishes SSTs and hands them over to the storage nodes, beside the work that makes them. */
@NullMarked
package io.sluice.importer.ship;

import org.jspecify.annotations.NullMarked;
