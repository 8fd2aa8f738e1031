/** {@code sluice transactions}: branches of transactions that are in doubt, and an operator's decisions about them. */
@NullMarked
package io.sluice.cli.transactions;

import org.jspecify.annotations.NullMarked;
