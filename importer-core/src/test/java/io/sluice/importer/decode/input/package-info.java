/** Tests of the detection of formats. */
@NullMarked
package io.sluice.importer.decode.input;

import org.jspecify.annotations.NullMarked;
