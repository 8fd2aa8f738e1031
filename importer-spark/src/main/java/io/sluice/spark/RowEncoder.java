package io.sluice.spark;

import io.sluice.importer.conflict.Contender;
import io.sluice.importer.conflict.Fingerprint;
import io.sluice.importer.conflict.Place;
import io.sluice.importer.encode.KvTarget;
import io.sluice.importer.encode.RowEncoding;
import io.sluice.importer.encode.RowIds;
import io.sluice.importer.sort.ConflictKeys;
import io.sluice.model.kv.IndexEncoder;
import io.sluice.model.kv.KvEncoder;
import io.sluice.model.row.Row;
import io.sluice.model.schema.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import scala.Tuple2;

/** Encodes the rows of one part of the input as the KVs of all indexes of a table. For one task. */
final class RowEncoder {
    private final Table table;
    private final int part;
    private final Set<Fingerprint> losers;
    private final RowEncoding encoding;
    private final KvEncoder primary;
    private final int rowIdColumn;
    private byte[] primaryKv = new byte[0];
    private long rows;
    private long dropped;

    /**
     * Creates an encoder.
     *
     * @param part ordinal of the part, which generated row ids have
     * @param losers primary KVs of the rows to leave out
     * @param targets take the KVs, one for each index
     */
    RowEncoder(Table table, int part, Set<Fingerprint> losers, List<? extends KvTarget> targets) {
        this.table = table;
        this.part = part;
        this.losers = losers;
        encoding = new RowEncoding(table, targets);
        primary = IndexEncoder.ofAll(table).get(0);
        rowIdColumn = new RowIds(table.def()).column();
    }

    /**
     * Encodes a row.
     *
     * @param position position of the row in the part
     * @return false if the row is left out
     */
    boolean encode(Row row, long position) {
        if (!losers.isEmpty() && loses(row, position)) {
            dropped++;
            return false;
        }
        encoding.encode(row, part, position);
        rows++;
        return true;
    }

    private boolean loses(Row row, long position) {
        if (rowIdColumn >= 0) {
            row.setLong(rowIdColumn, RowIds.of(part, position));
        }
        int room = primary.maxBytes(row);
        if (room > primaryKv.length) {
            primaryKv = new byte[2 * room];
        }
        long lengths = primary.encode(row, primaryKv, 0);
        return losers.contains(Fingerprint.of(primaryKv, 0, (int) (lengths >>> 32) + (int) lengths));
    }

    /**
     * The row of some KVs as one that may conflict with others; null if it holds none of the keys.
     *
     * @param row all KVs of the row, in the order of the indexes
     */
    @Nullable
    Contender contender(List<Tuple2<byte[], byte[]>> row, ConflictKeys keys, Place place) {
        List<Contender.HeldKey> held = new ArrayList<>();
        for (int i = 0; i < row.size(); i++) {
            byte[] key = row.get(i)._1();
            if ((i == 0 || table.indexes().get(i).def().unique()) && keys.contains(key, 0, key.length)) {
                byte[] value = row.get(i)._2();
                held.add(new Contender.HeldKey(
                        i, key, Fingerprint.of(key, 0, key.length), Fingerprint.of(value, 0, value.length)));
            }
        }
        return held.isEmpty()
                ? null
                : new Contender(
                        place, Fingerprint.of(row.get(0)._1(), row.get(0)._2()), held);
    }

    /** Report on the part. */
    TaskResults.Read read(long bad, List<String> problems, @Nullable String failure) {
        return new TaskResults.Read(
                part,
                rows,
                bad,
                dropped,
                problems,
                failure,
                IntStream.range(0, table.indexes().size())
                        .mapToObj(i -> TaskResults.Sum.of(encoding.sum(i)))
                        .toList());
    }

    /** Number of rows that were encoded. */
    long rows() {
        return rows;
    }
}
