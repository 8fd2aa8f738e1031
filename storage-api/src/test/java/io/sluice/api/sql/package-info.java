/** Tests of statements. */
@NullMarked
package io.sluice.api.sql;

import org.jspecify.annotations.NullMarked;
