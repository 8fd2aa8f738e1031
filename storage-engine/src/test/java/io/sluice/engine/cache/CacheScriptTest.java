package io.sluice.engine.cache;

import io.sluice.model.kv.KeySpan;
import io.sluice.testing.Script;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/**
 * Tests by scripts which value of a row a reader finds in the cache. Sequence numbers are those of the database: each
 * write raises the latest one.
 *
 * <pre>
 * latest N            sets the latest sequence number
 * snapshot N|none     sets the oldest snapshot; "none" releases all
 * fill K=V at N       adds a value that was read at N
 * write K...          writes keys
 * delete FROM TO      deletes a span of keys
 * begin W K...        begins write W, which is announced and not yet visible
 * end W               ends it, after the database has written
 * draw FROM TO K...   the values that readers find at each sequence number, and now
 * </pre>
 */
class CacheScriptTest implements Script.Subject, Sequences {
    private static final int CELL = 4;

    private final RowCache cache = new RowCache(RowCache.LEAST_BYTES, this);
    private final CacheShard shard = cache.newShard();
    private final Map<String, Update> writes = new HashMap<>();
    private long latest;
    private long oldest = Long.MAX_VALUE;

    @Override
    public long latest() {
        return latest;
    }

    @Override
    public long oldestSnapshot() {
        return oldest;
    }

    @Test
    void scriptAnswersAreAsWritten() throws Exception {
        Script.check(CacheScriptTest.class, "visibility.txt", this);
    }

    @Override
    public String answer(String command, List<String> args) {
        switch (command) {
            case "latest" -> latest = Long.parseLong(args.get(0));
            case "snapshot" -> {
                oldest = args.get(0).equals("none") ? Long.MAX_VALUE : Long.parseLong(args.get(0));
                cache.snapshotReleased();
            }
            case "fill" -> {
                String[] row = args.get(0).split("=", -1);
                shard.fill(bytes(row[0]), bytes(row[1]), Long.parseLong(args.get(2)));
            }
            case "write" -> end(begin(args));
            case "delete" -> {
                KeySpan span = new KeySpan(bytes(args.get(0)), bytes(args.get(1)));
                end(shard.begin(List.of(), List.of(span)));
            }
            case "begin" -> writes.put(args.get(0), begin(args.subList(1, args.size())));
            case "end" -> end(Objects.requireNonNull(writes.remove(args.get(0))));
            case "draw" -> {
                return draw(Long.parseLong(args.get(0)), Long.parseLong(args.get(1)), args.subList(2, args.size()));
            }
            default -> throw new IllegalArgumentException("no such command: " + command);
        }
        return "";
    }

    private Update begin(List<String> keys) {
        return shard.begin(keys.stream().map(CacheScriptTest::bytes).toList(), List.of());
    }

    private void end(Update update) {
        latest++;
        update.close();
    }

    private String draw(long from, long to, List<String> keys) {
        StringBuilder drawing = new StringBuilder("at  ");
        for (long at = from; at <= to; at++) {
            drawing.append(cell(Long.toString(at)));
        }
        drawing.append(cell("now")).append('\n');
        for (String key : keys) {
            drawing.append(key).append("   ");
            for (long at = from; at <= to; at++) {
                drawing.append(cell(value(key, at)));
            }
            drawing.append(cell(value(key, CacheShard.NOW))).append('\n');
        }
        return drawing.toString();
    }

    private static String cell(String text) {
        return " ".repeat(CELL - text.length()) + text;
    }

    private String value(String key, long at) {
        byte[] value = shard.find(bytes(key), at);
        return value == null ? "." : new String(value, StandardCharsets.UTF_8);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
