package io.sluice.spark;

import io.sluice.importer.encode.KvTarget;
import io.sluice.model.schema.Table;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import scala.Tuple2;

/** Copies each KV of some rows into arrays of its own, in the order of the rows and indexes. For one task. */
final class KvCopies implements KvTarget {
    private final List<Tuple2<byte[], byte[]>> kvs = new ArrayList<>();
    private byte[] buffer = new byte[1024];

    /** The targets of a table's indexes, which are all this one. */
    List<KvTarget> targets(Table table) {
        return Collections.nCopies(table.indexes().size(), this);
    }

    /** The KVs since the last {@link #clear}; valid until the next one. */
    List<Tuple2<byte[], byte[]>> kvs() {
        return kvs;
    }

    /** Forgets all KVs. */
    void clear() {
        kvs.clear();
    }

    @Override
    public byte[] room(int maxBytes) {
        if (buffer.length < maxBytes) {
            buffer = new byte[maxBytes];
        }
        return buffer;
    }

    @Override
    public int position() {
        return 0;
    }

    @Override
    public void added(long lengths) {
        int keyLength = (int) (lengths >>> 32);
        kvs.add(new Tuple2<>(
                Arrays.copyOf(buffer, keyLength), Arrays.copyOfRange(buffer, keyLength, keyLength + (int) lengths)));
    }
}
