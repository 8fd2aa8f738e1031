/**
 * The input formats: for each, its framing and its decoder. It is the one place that knows all formats; imports use an
 * {@link io.sluice.importer.decode.input.InputFormat}.
 */
@NullMarked
package io.sluice.importer.decode.input;

import org.jspecify.annotations.NullMarked;
