/** Files with users' data, readable by their owner only. */
@NullMarked
package io.sluice.model.file;

import org.jspecify.annotations.NullMarked;
