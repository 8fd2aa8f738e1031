/**
 * Step 2: decodes the bytes of a split into typed rows. A record that is not a row of the table is a reject with its
 * position, never an exception.
 */
@NullMarked
package io.sluice.importer.decode;

import org.jspecify.annotations.NullMarked;
