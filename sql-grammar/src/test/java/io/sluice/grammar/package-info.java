/** Tests of statements. */
@NullMarked
package io.sluice.grammar;

import org.jspecify.annotations.NullMarked;
