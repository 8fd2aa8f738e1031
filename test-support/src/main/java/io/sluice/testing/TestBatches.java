package io.sluice.testing;

import io.sluice.api.node.ImportSession;
import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.ShipAnswer;
import io.sluice.api.node.ShuffleBatch;
import io.sluice.model.kv.IndexDigest;
import io.sluice.model.kv.IndexEncoder;
import io.sluice.model.kv.KvChecksum;
import io.sluice.model.kv.KvEncoder;
import io.sluice.model.row.Row;
import io.sluice.model.schema.Table;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Encodes rows to batches of KVs for a node to sort. */
public final class TestBatches {
    private static final AtomicLong NEXT_ID = new AtomicLong(1);

    private TestBatches() {}

    /** Creates batches of {@code rowsEach} rows, one per index, with the KVs in row order. */
    public static List<ShuffleBatch> of(Table table, List<List<@Nullable String>> rows, int rowsEach) {
        return of(table, rows, rowsEach, NEXT_ID);
    }

    /** Creates batches with given ids. */
    public static List<ShuffleBatch> of(Table table, List<List<@Nullable String>> rows, int rowsEach, AtomicLong ids) {
        List<ShuffleBatch> batches = new ArrayList<>();
        for (int from = 0; from < rows.size(); from += rowsEach) {
            List<List<@Nullable String>> some = rows.subList(from, Math.min(rows.size(), from + rowsEach));
            for (IndexEncoder encoder : IndexEncoder.ofAll(table)) {
                batches.add(batch(table, encoder, some, ids.getAndIncrement()));
            }
        }
        return batches;
    }

    private static ShuffleBatch batch(Table table, IndexEncoder encoder, List<List<@Nullable String>> rows, long id) {
        ByteBuffer kvs = ByteBuffer.allocate(1 << 20);
        KvChecksum.Accumulator sum = new KvChecksum.Accumulator(IndexDigest.of(table, encoder.ordinal()));
        for (List<@Nullable String> texts : rows) {
            Row row = TestSsts.row(table, texts);
            put(encoder, row, kvs, sum);
            encoder.families().forEach(family -> put(family, row, kvs, sum));
        }
        return new ShuffleBatch(
                new UUID(0, id),
                0,
                table.indexes().get(encoder.ordinal()).def().id(),
                kvs.array(),
                kvs.position(),
                sum.sum());
    }

    private static void put(KvEncoder encoder, Row row, ByteBuffer kvs, KvChecksum.Accumulator sum) {
        byte[] buffer = new byte[encoder.maxBytes(row)];
        long lengths = encoder.encode(row, buffer, 0);
        if (lengths != 0) {
            int keyLength = (int) (lengths >>> 32);
            int valueLength = (int) lengths;
            kvs.putInt(keyLength).putInt(valueLength).put(buffer, 0, keyLength + valueLength);
            sum.add(buffer, 0, keyLength, valueLength);
        }
    }

    /** The checksums of batches by index. */
    public static List<IndexChecksum> sums(Table table, List<ShuffleBatch> batches) {
        return table.indexes().stream()
                .map(index -> new IndexChecksum(
                        index.def().name(),
                        batches.stream()
                                .filter(batch -> batch.indexId() == index.def().id())
                                .map(ShuffleBatch::sum)
                                .reduce(KvChecksum.EMPTY, KvChecksum::plus)))
                .toList();
    }

    /** Sends a batch until it is taken, for the directory that the session then knows. */
    public static void send(ImportSession session, ShuffleBatch batch) {
        ShipAnswer answer = session.shuffle(batch, session.directory().epoch());
        while (!(answer instanceof ShipAnswer.Taken)) {
            if (answer instanceof ShipAnswer.Refused) {
                throw new AssertionError(answer.toString());
            }
            Thread.onSpinWait();
            answer = session.shuffle(batch, session.directory().epoch());
        }
    }
}
