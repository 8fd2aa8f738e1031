package io.sluice.node.ingest;

import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.SstFile;
import io.sluice.engine.store.Family;
import io.sluice.engine.store.KeyBounds;
import io.sluice.engine.store.LsmFile;
import io.sluice.model.kv.IndexKeys;
import io.sluice.model.kv.KeySpan;
import io.sluice.model.kv.KvChecksum;
import io.sluice.model.schema.Index;
import io.sluice.model.schema.Table;
import io.sluice.node.read.TableSweep;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/** Computes an import's checksums in the LSM tree by metadata: counts of the tree, checksums of the receipts. */
final class PresentKvs {
    private PresentKvs() {}

    /**
     * The checksums in a column family of this table alone. Every live file lies in the span of one index, and no key
     * is in two files.
     */
    static List<IndexChecksum> inOwnFamily(Table table, List<LsmFile> live, ShippedChecksums ingested) {
        IndexKeys keys = new IndexKeys(table);
        List<IndexChecksum> present = new ArrayList<>();
        for (int i = 0; i < table.indexes().size(); i++) {
            Index index = table.indexes().get(i);
            KeySpan span = keys.span(i);
            long entries = 0;
            for (LsmFile file : live) {
                if (span.contains(file.bounds().smallest())) {
                    entries += file.entries();
                }
            }
            KvChecksum shipped = ingested.of(index.def().id());
            present.add(
                    new IndexChecksum(index.def().name(), new KvChecksum(entries, shipped.bytes(), shipped.crcSum())));
        }
        return present;
    }

    /** Whether no file holds KVs of two indexes of the table. */
    static boolean indexesApart(Table table, List<LsmFile> live) {
        IndexKeys keys = new IndexKeys(table);
        for (int i = 0; i < table.indexes().size(); i++) {
            KeySpan span = keys.span(i);
            boolean crossed = live.stream()
                    .anyMatch(file -> span.contains(file.bounds().smallest())
                            && !span.contains(file.bounds().largest()));
            if (crossed) {
                return false;
            }
        }
        return true;
    }

    /** Reads every visible KV, for trees whose metadata is not exact. */
    static List<IndexChecksum> byReading(Family family, Table table, int threads) {
        return TableSweep.digest(family, table, threads).indexes();
    }

    /** The checksums in a shared column family: of those SSTs of the import that the tree contains. */
    static List<IndexChecksum> inSharedFamily(Table table, List<LsmFile> live, List<SstFile> ingested) {
        Map<String, Integer> unclaimed = new HashMap<>();
        for (LsmFile file : live) {
            unclaimed.merge(identity(file.bounds(), file.entries()), 1, Integer::sum);
        }
        List<SstFile> confirmed = new ArrayList<>();
        for (SstFile sst : ingested) {
            String identity = identity(LsmShape.bounds(sst), sst.sum().count());
            if (unclaimed.getOrDefault(identity, 0) > 0) {
                unclaimed.merge(identity, -1, Integer::sum);
                confirmed.add(sst);
            }
        }
        ShippedChecksums sums = ShippedChecksums.of(confirmed);
        return table.indexes().stream()
                .map(index -> new IndexChecksum(
                        index.def().name(), sums.of(index.def().id())))
                .toList();
    }

    private static String identity(KeyBounds bounds, long entries) {
        HexFormat hex = HexFormat.of();
        return hex.formatHex(bounds.smallest()) + "-" + hex.formatHex(bounds.largest()) + "-" + entries;
    }
}
