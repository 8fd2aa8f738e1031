/** SQL statements and transactions on one node and on several, also when a commit is interrupted. */
@NullMarked
package io.sluice.it.sql;

import org.jspecify.annotations.NullMarked;
