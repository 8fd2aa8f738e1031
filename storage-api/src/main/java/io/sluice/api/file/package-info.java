/** Files that hold what users import: made for their owner only. */
@NullMarked
package io.sluice.api.file;

import org.jspecify.annotations.NullMarked;
