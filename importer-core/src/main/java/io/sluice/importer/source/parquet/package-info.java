/**
 * Parquet files: each part, usually one row group, read as the bytes of an Avro container file whose blocks have the
 * values by column. The steps after the source are those of Avro: its mapping of fields, its rejects, its positions for
 * resuming, and its inference of tables.
 */
@NullMarked
package io.sluice.importer.source.parquet;

import org.jspecify.annotations.NullMarked;
