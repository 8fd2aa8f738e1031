/** Step 5: a sorted stream of KVs cut into SST files. The one place of the importer that touches RocksDB. */
@NullMarked
package io.sluice.importer.sst;

import org.jspecify.annotations.NullMarked;
