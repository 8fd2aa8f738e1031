/**
 * Step 2: bytes of a split to typed rows. A record that is no row of the table is data, a reject with its position,
 * never an exception.
 */
@NullMarked
package io.sluice.importer.decode;

import org.jspecify.annotations.NullMarked;
