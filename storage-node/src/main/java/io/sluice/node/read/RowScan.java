package io.sluice.node.read;

import io.sluice.api.node.KeyTexts;
import io.sluice.api.node.RowCursor;
import io.sluice.api.node.ScanRequest;
import io.sluice.api.node.ScanRequest.Content;
import io.sluice.engine.store.Kv;
import io.sluice.model.kv.CorruptKvException;
import io.sluice.model.kv.EntryKeys;
import io.sluice.model.kv.EntryKvs;
import io.sluice.model.kv.IndexKeys;
import io.sluice.model.kv.KeySpan;
import io.sluice.model.kv.RowDecoder;
import io.sluice.model.row.Row;
import io.sluice.model.schema.Table;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A cursor over rows, or their primary keys, in the order of an index. With a secondary index, each row is fetched by
 * its primary key from the same state of the table; keys alone come from the index.
 */
public final class RowScan implements RowCursor {
    private static final int PRIMARY = 0;

    private final Table table;
    private final int ordinal;
    private final IndexKeys keys;
    private final RowDecoder decoder;
    /** Decodes entries, whose KVs are joined if the table has several column families. */
    private final RowDecoder entryDecoder;
    /** Null: each entry is one KV. */
    private final @Nullable JoinedEntries joined;

    private final State state;
    private final Supplier<@Nullable Kv> kvs;
    private final Content content;
    private final FetchedRows fetched;
    private final Row row;
    private long remaining;
    /** The key of the entry that was read last. */
    private byte[] entryKey = {};

    /** One state of a table. The scan closes it. */
    public interface State extends AutoCloseable {
        /** The KVs of a span in key order, also those of interleaved tables; null after the last. */
        Supplier<@Nullable Kv> kvs(KeySpan span);

        /** The values of keys in their order; null for a missing key. */
        List<byte @Nullable []> values(List<byte[]> keys);

        @Override
        void close();
    }

    /**
     * Begins a scan.
     *
     * @param keys of the table
     * @param decoder of the table
     */
    public RowScan(Table table, IndexKeys keys, RowDecoder decoder, State state, ScanRequest request) {
        this.table = table;
        this.keys = keys;
        this.decoder = decoder;
        this.state = state;
        ordinal = table.ordinal(request.index());
        content = request.content();
        KeySpan requested = KeyTexts.span(table, keys, ordinal, request.from(), request.to());
        kvs = state.kvs(request.within() == null ? requested : Spans.common(requested, request.within()));
        row = new Row(table.def().columns().size());
        remaining = request.limit();
        EntryKvs codec = EntryKvs.of(table);
        entryDecoder = codec == null ? decoder : new RowDecoder(codec.joined());
        joined = codec == null ? null : new JoinedEntries(codec, ordinal, this::nextOwned);
        fetched = new FetchedRows(this::nextEntry, this::primaryKey, state::values, codec);
    }

    @Override
    public @Nullable List<@Nullable String> next() {
        if (remaining <= 0) {
            return null;
        }
        boolean found = (ordinal == PRIMARY || content != Content.ROW) ? nextInIndex() : nextFetched();
        if (!found) {
            remaining = 0;
            return null;
        }
        remaining--;
        return switch (content) {
            case ROW -> RowTexts.of(table, row);
            case KEY -> RowTexts.primaryKey(table, row);
            case KEY_AND_ENTRY -> RowTexts.primaryKey(table, row, entryKey);
        };
    }

    /** The next KV of this table. Skips KVs of tables interleaved in it. */
    private @Nullable Kv nextOwned() {
        Kv kv = kvs.get();
        while (kv != null && !owned(kv)) {
            kv = kvs.get();
        }
        return kv;
    }

    /** The next entry of the index; its KVs are joined if it may have several. */
    private @Nullable Kv nextEntry() {
        if (joined == null) {
            return nextOwned();
        }
        try {
            return joined.next();
        } catch (CorruptKvException e) {
            throw Damage.failure(table, ordinal, joined.key(), "cannot be decoded (" + e.getMessage() + ")", List.of());
        }
    }

    private boolean owned(Kv kv) {
        try {
            return decoder.owns(ordinal, kv.key());
        } catch (CorruptKvException e) {
            throw Damage.failure(table, ordinal, kv.key(), "cannot be decoded (" + e.getMessage() + ")", List.of());
        }
    }

    private boolean nextInIndex() {
        Kv kv = nextEntry();
        if (kv == null) {
            return false;
        }
        decode(ordinal, kv.key(), kv.value());
        entryKey = kv.key();
        return true;
    }

    private boolean nextFetched() {
        FetchedRows.Fetched next = fetch();
        if (next == null) {
            return false;
        }
        byte[] value = next.value();
        if (value == null) {
            throw Damage.failure(table, ordinal, next.entry().key(), "points at a row that does not exist", List.of());
        }
        decode(PRIMARY, next.key(), value);
        entryKey = next.entry().key();
        return true;
    }

    private FetchedRows.@Nullable Fetched fetch() {
        try {
            return fetched.next(remaining);
        } catch (CorruptKvException e) {
            throw Damage.failure(
                    table, PRIMARY, fetched.joining(), "cannot be decoded (" + e.getMessage() + ")", List.of());
        }
    }

    /** The primary key of an index entry. */
    private byte[] primaryKey(Kv entry) {
        decode(ordinal, entry.key(), entry.value());
        return keys.primaryKey(row);
    }

    private void decode(int index, byte[] key, byte[] value) {
        try {
            if (index == PRIMARY) {
                entryDecoder.decodePrimary(key, value, row);
            } else {
                entryDecoder.decodeSecondary(index, key, value, row);
            }
        } catch (CorruptKvException e) {
            throw Damage.failure(table, index, key, "cannot be decoded (" + e.getMessage() + ")", List.of());
        }
    }

    /** The first key after the KVs of the entry that was read last. */
    public byte[] end() {
        return KeySpan.prefixEnd(Arrays.copyOf(entryKey, EntryKeys.sharedBytes(entryKey, 0, entryKey.length)));
    }

    @Override
    public void close() {
        state.close();
    }
}
