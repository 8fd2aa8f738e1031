/** Tables, rows and SSTs for the tests of several modules. */
@NullMarked
package io.sluice.testing;

import org.jspecify.annotations.NullMarked;
