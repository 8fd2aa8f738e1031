/** One typed row that is filled, encoded and cleared again without making objects. */
@NullMarked
package io.sluice.api.row;

import org.jspecify.annotations.NullMarked;
