package io.sluice.importer.encode;

import io.sluice.model.kv.IndexDigest;
import io.sluice.model.kv.IndexEncoder;
import io.sluice.model.kv.KvChecksum;
import io.sluice.model.kv.KvEncoder;
import io.sluice.model.row.Row;
import io.sluice.model.schema.Table;
import java.util.List;

/**
 * Encodes rows into one {@link KvTarget} per index and computes the checksums that all later steps must match. One per
 * worker.
 */
public final class RowEncoding {
    private final KvEncoder[] encoders;
    private final KvTarget[] targets;
    private final KvChecksum.Accumulator[] sums;
    private final int rowIdColumn;
    /** Whether any index has KVs of further column families. */
    private final boolean families;

    /** Creates the encoding of a table of Sluice's; see the other constructor. */
    public RowEncoding(Table table, List<? extends KvTarget> targets) {
        this(table, IndexEncoder.ofAll(table), targets);
    }

    /** Creates an encoding into targets; there is one encoder and one target per index in the table's order. */
    public RowEncoding(Table table, List<? extends KvEncoder> encoders, List<? extends KvTarget> targets) {
        this.encoders = encoders.toArray(new KvEncoder[0]);
        this.targets = targets.toArray(new KvTarget[0]);
        sums = IndexDigest.ofAll(table).stream()
                .map(KvChecksum.Accumulator::new)
                .toArray(KvChecksum.Accumulator[]::new);
        rowIdColumn = new RowIds(table.def()).column();
        families = encoders.stream().anyMatch(encoder -> !encoder.families().isEmpty());
    }

    /** Encodes one row; sets its row id if the table has a hidden one. */
    public void encode(Row row, int fileOrdinal, long byteOffset) {
        if (rowIdColumn >= 0) {
            row.setLong(rowIdColumn, RowIds.of(fileOrdinal, byteOffset));
        }
        for (int i = 0; i < encoders.length; i++) {
            KvEncoder encoder = encoders[i];
            KvTarget target = targets[i];
            byte[] buffer = target.room(encoder.maxBytes(row));
            int position = target.position();
            long lengths = encoder.encode(row, buffer, position);
            int keyLength = (int) (lengths >>> 32);
            sums[i].add(buffer, position, keyLength, (int) lengths);
            target.added(lengths);
        }
        if (families) {
            encodeFamilies(row);
        }
    }

    private void encodeFamilies(Row row) {
        for (int i = 0; i < encoders.length; i++) {
            KvTarget target = targets[i];
            for (KvEncoder family : encoders[i].families()) {
                byte[] buffer = target.room(family.maxBytes(row));
                int position = target.position();
                long lengths = family.encode(row, buffer, position);
                if (lengths != 0) {
                    sums[i].add(buffer, position, (int) (lengths >>> 32), (int) lengths);
                    target.added(lengths);
                }
            }
        }
    }

    /** Checksum of the KVs encoded for an index so far. */
    public KvChecksum sum(int index) {
        return sums[index].sum();
    }
}
