/** Commands that look into a store or change it: tables, get, scan, digest, drop. */
@NullMarked
package io.sluice.cli.store;

import org.jspecify.annotations.NullMarked;
