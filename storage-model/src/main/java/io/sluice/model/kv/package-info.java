/** The key/value encoding of rows: keys in SQL order, compact values, checksums and key spans. */
@NullMarked
package io.sluice.model.kv;

import org.jspecify.annotations.NullMarked;
