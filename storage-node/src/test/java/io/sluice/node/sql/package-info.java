/** Tests of statements. */
@NullMarked
package io.sluice.node.sql;

import org.jspecify.annotations.NullMarked;
