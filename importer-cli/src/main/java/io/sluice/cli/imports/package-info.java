/**
 * The commands {@code import}, {@code replay}, {@code build}, {@code backup}, {@code ingest} and {@code verify}:
 * options, wiring, and report.
 */
@NullMarked
package io.sluice.cli.imports;

import org.jspecify.annotations.NullMarked;
