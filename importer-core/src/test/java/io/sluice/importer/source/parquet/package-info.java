@NullMarked
package io.sluice.importer.source.parquet;

import org.jspecify.annotations.NullMarked;
