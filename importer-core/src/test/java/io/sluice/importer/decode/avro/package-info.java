/** Tests of Avro input: files of other writers, the library as the oracle, and damaged files. */
@NullMarked
package io.sluice.importer.decode.avro;

import org.jspecify.annotations.NullMarked;
