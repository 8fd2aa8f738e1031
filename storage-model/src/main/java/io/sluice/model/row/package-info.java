/** A reusable typed row that is filled, encoded and cleared without allocation. */
@NullMarked
package io.sluice.model.row;

import org.jspecify.annotations.NullMarked;
