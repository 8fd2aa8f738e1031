/**
 * Options of commands that read files, with picocli's annotations: of the command line's and of the program for Spark.
 */
@NullMarked
package io.sluice.importer.options;

import org.jspecify.annotations.NullMarked;
