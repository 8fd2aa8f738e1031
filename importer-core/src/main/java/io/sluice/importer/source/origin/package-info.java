/** Where the bytes of an input lie: a file, standard input, or whatever else can be read from its beginning. */
@NullMarked
package io.sluice.importer.source.origin;

import org.jspecify.annotations.NullMarked;
