/**
 * The formats that input can have: for each, where its records end and which decoder reads them. The one place that
 * knows all formats; what imports asks an {@link io.sluice.importer.decode.input.InputFormat}.
 */
@NullMarked
package io.sluice.importer.decode.input;

import org.jspecify.annotations.NullMarked;
