/** From stored bytes to UTF-8 text: compression, told by what a file begins with, and other charsets. */
@NullMarked
package io.sluice.importer.source.codec;

import org.jspecify.annotations.NullMarked;
