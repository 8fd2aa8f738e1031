package io.sluice.sql.distributed;

import io.sluice.api.transaction.ReadAnswer.Page;
import io.sluice.api.transaction.ReadRequest;
import io.sluice.api.transaction.ReadRequest.KeyList;
import io.sluice.api.transaction.ReadRequest.PageRequest;
import io.sluice.engine.store.Family;
import io.sluice.engine.store.FamilyView;
import io.sluice.engine.store.Kv;
import io.sluice.engine.store.KvCursor;
import io.sluice.engine.store.ReadPattern;
import io.sluice.engine.store.RocksStore;
import io.sluice.engine.store.StoreView;
import io.sluice.grammar.SqlErrorCode;
import io.sluice.grammar.StatementException;
import io.sluice.model.error.BadInputException;
import io.sluice.model.kv.KeySpan;
import io.sluice.node.catalog.TableRecord;
import io.sluice.sql.transaction.SpanSet;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** Serves coordinators' reads from leased snapshots, in answers of bounded size. */
final class LeasedReads {
    /** Keys per read call; the snapshot cannot be closed during one call. */
    private static final int KEYS_AT_A_TIME = 256;

    private static final int MAX_KEYS = 8192;
    private static final long MAX_VALUE_BYTES = 32L << 20;
    private static final int PAGE_KVS = 1024;
    private static final long PAGE_BYTES = 1L << 20;

    private final RocksStore store;
    private final IntFunction<@Nullable TableRecord> records;

    LeasedReads(RocksStore store, IntFunction<@Nullable TableRecord> records) {
        this.store = store;
        this.records = records;
    }

    private FamilyView view(StoreView snapshot, int tableId) {
        TableRecord record = records.apply(tableId);
        Family family = record == null ? null : store.find(record.family());
        if (family == null) {
            throw new StatementException(
                    SqlErrorCode.CONFLICT,
                    "a table was dropped on a node since the transaction began; run all of it again");
        }
        return snapshot.of(family);
    }

    /** The keys that a request reads, at most. */
    static SpanSet spans(ReadRequest request) {
        List<KeySpan> spans = new ArrayList<>();
        request.gets().forEach(list -> list.keys().forEach(key -> spans.add(SpanSet.point(key))));
        PageRequest page = request.page();
        if (page != null) {
            spans.add(new KeySpan(page.start(), page.end()));
        }
        return SpanSet.of(spans);
    }

    /**
     * Reads the values of keys, in the order of the keys; null for absent keys.
     *
     * @throws BadInputException if there are more than {@value #MAX_KEYS} keys
     * @throws StatementException if the values take more than {@value #MAX_VALUE_BYTES} bytes, or a table was dropped
     */
    List<byte @Nullable []> values(StoreView snapshot, List<KeyList> lists) {
        int count = lists.stream().mapToInt(list -> list.keys().size()).sum();
        if (count > MAX_KEYS) {
            throw new BadInputException("gets: " + count + " keys, at most " + MAX_KEYS + " in one request");
        }
        List<byte @Nullable []> values = new ArrayList<>(count);
        long bytes = 0;
        for (KeyList list : lists) {
            FamilyView view = view(snapshot, list.table());
            for (int from = 0; from < list.keys().size(); from += KEYS_AT_A_TIME) {
                int to = Math.min(from + KEYS_AT_A_TIME, list.keys().size());
                for (byte[] value : view.rows(list.keys().subList(from, to))) {
                    bytes += value == null ? 0 : value.length;
                    values.add(value);
                }
                if (bytes > MAX_VALUE_BYTES) {
                    throw new StatementException(
                            SqlErrorCode.TOO_LARGE,
                            "the rows of one request take more than " + MAX_VALUE_BYTES
                                    + " bytes; ask for fewer rows at a time");
                }
            }
        }
        return values;
    }

    Page page(StoreView snapshot, PageRequest request) {
        List<byte[]> keys = new ArrayList<>();
        List<byte[]> values = new ArrayList<>();
        long bytes = 0;
        KeySpan span = new KeySpan(request.start(), request.end());
        try (KvCursor cursor = view(snapshot, request.table()).cursor(span, ReadPattern.SCAN)) {
            for (Kv kv = cursor.next(); kv != null; kv = cursor.next()) {
                if (keys.size() == PAGE_KVS || (bytes > 0 && bytes + kv.value().length > PAGE_BYTES)) {
                    return new Page(keys, values, true);
                }
                keys.add(kv.key());
                values.add(kv.value());
                bytes += kv.key().length + (long) kv.value().length;
            }
        }
        return new Page(keys, values, false);
    }
}
