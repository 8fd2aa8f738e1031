package io.sluice.spark;

import io.sluice.importer.encode.KvTarget;
import io.sluice.importer.encode.SingleKvTarget;
import io.sluice.model.schema.Table;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import scala.Tuple2;

/** Copies each KV of some rows into arrays of its own, in the order of the rows and indexes. For one task. */
final class KvCopies extends SingleKvTarget {
    private final List<Tuple2<byte[], byte[]>> kvs = new ArrayList<>();

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
    protected void added(byte[] kv, int keyLength, int valueLength) {
        kvs.add(new Tuple2<>(Arrays.copyOf(kv, keyLength), Arrays.copyOfRange(kv, keyLength, keyLength + valueLength)));
    }
}
