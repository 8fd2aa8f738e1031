/** The origins of input bytes: files, standard input, and anything else that can be read from its start. */
@NullMarked
package io.sluice.importer.source.origin;

import org.jspecify.annotations.NullMarked;
