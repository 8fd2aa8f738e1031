/** Tests of statements. */
@NullMarked
package io.sluice.sql;

import org.jspecify.annotations.NullMarked;
