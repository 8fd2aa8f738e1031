package io.sluice.node.ingest;

import io.sluice.api.kv.KeySpan;
import io.sluice.api.schema.Table;
import io.sluice.node.catalog.Receipts;
import io.sluice.node.compact.LiveTree;
import java.nio.file.Path;
import java.util.List;

/**
 * Where the SSTs of an import that ingests on arrival go.
 *
 * @param importId names the import
 * @param table what is imported
 * @param tree the tree of its own column family
 * @param receipts what it has taken
 * @param indexes the spans of the table's indexes, in key order
 * @param directory where its files may lie meanwhile
 */
record ImportTarget(
        int importId, Table table, LiveTree tree, Receipts receipts, List<KeySpan> indexes, Path directory) {}
