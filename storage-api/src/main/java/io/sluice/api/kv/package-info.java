/** The key/value encoding of rows: keys that sort as SQL does, compact values, checksums, and key spans. */
@NullMarked
package io.sluice.api.kv;

import org.jspecify.annotations.NullMarked;
