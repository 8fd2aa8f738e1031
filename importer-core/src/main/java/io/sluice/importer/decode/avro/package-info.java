/**
 * Avro to typed rows: object container files with every codec of the specification, and single datums as bytes or JSON.
 *
 * <p>The writer's schema is resolved once per file against the table into a plan, one reader per field; reading a
 * record then makes no objects. {@link io.sluice.importer.decode.avro.AvroLayout} makes plans,
 * {@link io.sluice.importer.decode.avro.ContainerDecoder} runs them over the blocks of a split.
 */
@NullMarked
package io.sluice.importer.decode.avro;

import org.jspecify.annotations.NullMarked;
