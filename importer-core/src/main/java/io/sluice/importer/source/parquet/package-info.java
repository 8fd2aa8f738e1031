/**
 * Parquet files: each part, usually one row group, read as the bytes of an Avro container file. The steps after the
 * source read Avro: its mapping of fields, its rejects, its positions for resuming, and its inference of tables.
 */
@NullMarked
package io.sluice.importer.source.parquet;

import org.jspecify.annotations.NullMarked;
