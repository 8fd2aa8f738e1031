/** A reusable typed row that is filled, encoded and cleared without allocation. */
@NullMarked
package io.sluice.api.row;

import org.jspecify.annotations.NullMarked;
