/** Turns stored bytes into UTF-8 text: detects and undoes compression, and converts other charsets. */
@NullMarked
package io.sluice.importer.source.codec;

import org.jspecify.annotations.NullMarked;
