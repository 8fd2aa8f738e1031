/** Tables, rows, SSTs, batches of KVs, files, free ports, waits and scripts for the tests of several modules. */
@NullMarked
package io.sluice.testing;

import org.jspecify.annotations.NullMarked;
