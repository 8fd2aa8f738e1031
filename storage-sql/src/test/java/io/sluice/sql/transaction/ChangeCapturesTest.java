package io.sluice.sql.transaction;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.IngestTiming;
import io.sluice.engine.store.RocksStore;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.kv.KeySpan;
import io.sluice.model.kv.KvChecksum;
import io.sluice.model.schema.Ddl;
import io.sluice.model.schema.TableDef;
import io.sluice.node.catalog.Catalog;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests what a copy of a table learns of the keys that commits change meanwhile. */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class ChangeCapturesTest {
    @TempDir
    Path directory;

    private RocksStore store;
    private ChangeCaptures captures;
    private UUID capture;
    private UUID first;

    @BeforeEach
    void open() {
        store = RocksStore.open(directory.resolve("db"), 1 << 20);
        Catalog catalog = Catalog.load(store);
        for (TableDef table :
                Ddl.parse("CREATE TABLE t (id INT PRIMARY KEY); CREATE TABLE u (id INT PRIMARY KEY)", "test")) {
            int id = catalog.begin(ImportRequest.of(table, IngestTiming.AT_END), 1)
                    .id();
            catalog.publish(id, List.of(new IndexChecksum("primary", KvChecksum.EMPTY)), 1);
        }
        captures = new ChangeCaptures(catalog);
        capture = captures.begin(1);
        first = capture;
    }

    @AfterEach
    void close() {
        store.close();
    }

    private static Intent intent(List<KeySpan> spans, Integer... tables) {
        return new Intent(
                0,
                0,
                SpanSet.of(spans),
                SpanSet.EMPTY,
                new TreeSet<>(Arrays.asList(tables)),
                Map.of(),
                Set.of(),
                (batch, families) -> {});
    }

    private static List<KeySpan> points(String keys) {
        return keys.chars()
                .mapToObj(key -> SpanSet.point(new byte[] {(byte) key}))
                .toList();
    }

    private String next(UUID id, long done) {
        try {
            ChangeCaptures.Batch batch = captures.next(1, id, done);
            return batch.number() + ":"
                    + batch.keys().stream()
                            .map(key -> new String(key, StandardCharsets.ISO_8859_1))
                            .collect(Collectors.joining())
                    + (batch.more() ? "+" : "");
        } catch (BadInputException | OperationFailedException e) {
            return String.valueOf(e.getMessage());
        }
    }

    @Test
    void batchesHaveEachChangedKeyUntilTheyAreAcknowledged() {
        assertEquals("1:", next(capture, 0));
        captures.add(intent(points("ab"), 1));
        captures.add(intent(points("bc"), 1));
        captures.add(intent(points("x"), 2));
        assertEquals("2:abc", next(capture, 1));
        assertEquals("2:abc", next(capture, 1), "the answer was lost");
        // Changed again after it was sent: its value may be another one.
        captures.add(intent(points("b"), 1));
        assertEquals("2:abc", next(capture, 1));
        assertEquals("3:b", next(capture, 2));
        assertEquals("4:", next(capture, 3));
        assertEquals("done: batch 7 is not the last one, 4", next(capture, 7));
        assertEquals("done: batch 1 is not the last one, 4", next(capture, 1));
    }

    @Test
    void keysThatDifferInZeroBytesAtTheEndAreAllCaptured() {
        List<KeySpan> joined = List.of(SpanSet.point(new byte[] {'a'}), SpanSet.point(new byte[] {'a', 0}));
        captures.add(intent(joined, 1));
        assertEquals("1:aa\0", next(capture, 0));
    }

    @Test
    void batchesAreBounded() {
        List<KeySpan> many = new ArrayList<>();
        for (int i = 0; i < ChangeCaptures.BATCH_KEYS + 1; i++) {
            many.add(SpanSet.point(new byte[] {(byte) (i >> 8), (byte) i, 1}));
        }
        captures.add(intent(many, 1));
        ChangeCaptures.Batch batch = captures.next(1, capture, 0);
        assertEquals(ChangeCaptures.BATCH_KEYS, batch.keys().size());
        assertEquals(true, batch.more());
        batch = captures.next(1, capture, 1);
        assertEquals(1, batch.keys().size());
        assertEquals(false, batch.more());
    }

    @Test
    void aCopyThatMissesKeysIsRefused() {
        String lost = "the changes of the table since the copy began are not known: ";
        captures.add(intent(List.of(new KeySpan(new byte[] {'a'}, new byte[] {'c'})), 1));
        assertEquals(lost + "a statement has deleted a span of rows; copy it again", next(capture, 0));
        UUID second = captures.begin(1);
        captures.add(intent(points("d"), 1));
        assertEquals("1:d", next(second, 0));
        assertEquals(
                lost + "the node was restarted, or another copy of the table began; copy it again", next(first, 0));
    }
}
