package io.sluice.it;

import io.sluice.api.node.ImportSession;
import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.ShipAnswer;
import io.sluice.api.node.ShuffleBatch;
import io.sluice.model.kv.IndexDigest;
import io.sluice.model.kv.IndexEncoder;
import io.sluice.model.kv.KvChecksum;
import io.sluice.model.row.Row;
import io.sluice.model.schema.Table;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Rows to batches of KVs in the simplest way, for tests that speak to nodes without an importer. */
final class Batches {
    private Batches() {}

    /** Batches of so many rows each, one per index, all of the first part of the keys. */
    static List<ShuffleBatch> of(Table table, List<List<String>> rows, int rowsEach) {
        List<ShuffleBatch> batches = new ArrayList<>();
        for (int from = 0; from < rows.size(); from += rowsEach) {
            List<List<String>> some = rows.subList(from, Math.min(rows.size(), from + rowsEach));
            for (IndexEncoder encoder : IndexEncoder.ofAll(table)) {
                batches.add(batch(table, encoder, some, new UUID(from, encoder.ordinal())));
            }
        }
        return batches;
    }

    private static ShuffleBatch batch(Table table, IndexEncoder encoder, List<List<String>> rows, UUID id) {
        ByteBuffer kvs = ByteBuffer.allocate(1 << 16);
        KvChecksum.Accumulator sum = new KvChecksum.Accumulator(IndexDigest.of(table, encoder.ordinal()));
        for (List<String> texts : rows) {
            Row row = SstFiles.row(table, texts);
            byte[] buffer = new byte[encoder.maxBytes(row)];
            long lengths = encoder.encode(row, buffer, 0);
            int keyLength = (int) (lengths >>> 32);
            int valueLength = (int) lengths;
            kvs.putInt(keyLength).putInt(valueLength).put(buffer, 0, keyLength + valueLength);
            sum.add(buffer, 0, keyLength, valueLength);
        }
        int indexId = table.indexes().get(encoder.ordinal()).def().id();
        return new ShuffleBatch(id, 0, indexId, kvs.array(), kvs.position(), sum.sum());
    }

    /** Sends a batch until it is taken, for the directory that the session then knows. */
    static void send(ImportSession session, ShuffleBatch batch) {
        while (true) {
            ShipAnswer answer = session.shuffle(batch, session.directory().epoch());
            if (answer instanceof ShipAnswer.Taken) {
                return;
            }
            if (answer instanceof ShipAnswer.Refused) {
                throw new AssertionError(answer.toString());
            }
        }
    }

    /** Checksums of the batches, per index. */
    static List<IndexChecksum> sums(Table table, List<ShuffleBatch> batches) {
        return table.indexes().stream()
                .map(index -> new IndexChecksum(
                        index.def().name(),
                        batches.stream()
                                .filter(batch -> batch.indexId() == index.def().id())
                                .map(ShuffleBatch::sum)
                                .reduce(KvChecksum.EMPTY, KvChecksum::plus)))
                .toList();
    }
}
