/** Commands that read a store or change it: tables, get, scan, export, digest, drop, tune. */
@NullMarked
package io.sluice.cli.store;

import org.jspecify.annotations.NullMarked;
