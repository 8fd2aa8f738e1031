/** Tables, rows, SSTs and batches of KVs for the tests of several modules. */
@NullMarked
package io.sluice.testing;

import org.jspecify.annotations.NullMarked;
