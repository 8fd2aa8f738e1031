/** Tests of proposed tables. */
@NullMarked
package io.sluice.importer.decode.infer;

import org.jspecify.annotations.NullMarked;
