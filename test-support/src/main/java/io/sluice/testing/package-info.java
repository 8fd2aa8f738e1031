/** Tables, rows, SSTs, batches of KVs and files for the tests of several modules. */
@NullMarked
package io.sluice.testing;

import org.jspecify.annotations.NullMarked;
