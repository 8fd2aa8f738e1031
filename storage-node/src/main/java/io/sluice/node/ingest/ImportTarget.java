package io.sluice.node.ingest;

import io.sluice.engine.compact.LiveTree;
import io.sluice.model.kv.KeySpan;
import io.sluice.model.schema.Table;
import io.sluice.node.catalog.Receipts;
import java.nio.file.Path;
import java.util.List;

/**
 * The target of an import that ingests on arrival.
 *
 * @param importId id of the import
 * @param table the imported table
 * @param tree the tree of its own column family
 * @param receipts its receipts
 * @param indexes the spans of the table's indexes, in key order
 * @param directory its directory for temporary files
 */
record ImportTarget(
        int importId, Table table, LiveTree tree, Receipts receipts, List<KeySpan> indexes, Path directory) {}
