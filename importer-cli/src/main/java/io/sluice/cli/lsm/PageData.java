package io.sluice.cli.lsm;

import com.fasterxml.jackson.core.JsonGenerator;
import io.sluice.cli.output.Json;
import io.sluice.client.RemoteSettings;
import io.sluice.engine.lsm.LsmEntry;
import io.sluice.engine.lsm.LsmEvent;
import io.sluice.engine.lsm.LsmFigures;
import io.sluice.engine.lsm.LsmState;
import io.sluice.engine.lsm.TreeFile;
import io.sluice.engine.store.LsmFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A column family's history as the page's script reads it: files and keys in tables, events as the table rows that come
 * and go. Names are short because there are thousands of them:
 *
 * <pre>
 *   keys    all keys at which files begin or end, in order; a file refers to them by position
 *   files   [name, level, first key, last key, bytes, entries, origin, event that bore it]
 *   events  q number, t millis, k kind, a files that come, d files that go, b files that become busy, u no more busy,
 *           x text, f [height, files, files in level 0, bytes, bytes ingested, bytes written]
 * </pre>
 */
public final class PageData {
    /** Limit of characters of a key; longer keys end in an ellipsis. */
    private static final int MAX_KEY_CHARS = 64;

    private final List<LsmEntry> entries;
    private final NavigableMap<byte[], Integer> keys = new TreeMap<>(Arrays::compareUnsigned);
    private final LsmState state = new LsmState();
    private final List<TreeFile> files = new ArrayList<>();
    private final Map<String, Integer> live = new HashMap<>();
    private final Map<Long, List<Integer>> busy = new HashMap<>();

    private PageData(List<LsmEntry> entries) {
        this.entries = entries;
        for (LsmEntry entry : entries) {
            for (LsmFile file : entry.event().added()) {
                keys.put(file.bounds().smallest(), 0);
                keys.put(file.bounds().largest(), 0);
            }
        }
        int position = 0;
        for (Map.Entry<byte[], Integer> key : keys.entrySet()) {
            key.setValue(position++);
        }
    }

    /**
     * The data of a table of a store, which may be in use.
     *
     * @throws BadInputException when nothing happened to such a table
     */
    public static String ofStore(Path store, String table) {
        return json(Subject.ofStore(store, table, null), Long.MAX_VALUE);
    }

    /**
     * The data of a table of a node on a network.
     *
     * @throws BadInputException when nothing happened to such a table there
     */
    public static String ofNode(RemoteSettings settings, String table) {
        return json(Subject.ofNode(settings, table, null), Long.MAX_VALUE);
    }

    /** The data of all column families of a subject, as one JSON value. */
    static String json(Subject subject, long at) {
        return Json.object(json -> {
            json.writeStringField("title", subject.title());
            json.writeStringField("source", subject.source());
            if (at != Long.MAX_VALUE) {
                json.writeNumberField("at", at);
            }
            Json.texts(json, "notes", subject.history().notes());
            Json.objects(json, "families", subject.families(), family -> {
                json.writeStringField("family", family);
                json.writeStringField("table", subject.tableOf(family));
                new PageData(subject.history().of(family).entries()).write(json);
            });
        });
    }

    private void write(JsonGenerator json) throws IOException {
        json.writeArrayFieldStart("events");
        for (LsmEntry entry : entries) {
            event(json, entry);
        }
        json.writeEndArray();
        json.writeArrayFieldStart("files");
        for (TreeFile file : files) {
            file(json, file);
        }
        json.writeEndArray();
        json.writeArrayFieldStart("keys");
        for (byte[] bytes : keys.keySet()) {
            String key = HexFormat.of().formatHex(bytes);
            json.writeString(key.length() <= MAX_KEY_CHARS ? key : key.substring(0, MAX_KEY_CHARS) + "…");
        }
        json.writeEndArray();
    }

    private void event(JsonGenerator json, LsmEntry entry) throws IOException {
        LsmEvent event = entry.event();
        List<Integer> gone = new ArrayList<>();
        if (event.replacesAll()) {
            gone.addAll(live.values());
            live.clear();
        }
        event.removed().forEach(name -> leave(name, gone));
        state.apply(entry.seq(), event);
        List<Integer> come = new ArrayList<>();
        for (LsmFile added : event.added()) {
            leave(added.name(), gone);
            TreeFile file = state.file(added.name());
            if (file != null) {
                live.put(added.name(), files.size());
                come.add(files.size());
                files.add(file);
            }
        }
        json.writeStartObject();
        json.writeNumberField("q", entry.seq());
        json.writeNumberField("t", entry.atMillis());
        json.writeStringField("k", event.kind());
        numbers(json, "a", come);
        numbers(json, "d", gone);
        numbers(json, "b", becomesBusy(event));
        numbers(json, "u", noMoreBusy(event));
        String text = text(event);
        if (text != null) {
            json.writeStringField("x", text);
        }
        figures(json, entry.after());
        json.writeEndObject();
    }

    private void leave(String name, List<Integer> gone) {
        Integer file = live.remove(name);
        if (file != null) {
            gone.add(file);
        }
    }

    private List<Integer> becomesBusy(LsmEvent event) {
        if (!(event instanceof LsmEvent.CompactionBegin begin)) {
            return List.of();
        }
        List<Integer> inputs = new ArrayList<>();
        for (String name : begin.inputs()) {
            Integer file = live.get(name);
            if (file != null) {
                inputs.add(file);
            }
        }
        busy.put(begin.job(), inputs);
        return inputs;
    }

    private List<Integer> noMoreBusy(LsmEvent event) {
        long job = event instanceof LsmEvent.CompactionEnd end
                ? end.job()
                : event instanceof LsmEvent.Failure failure ? failure.job() : 0;
        List<Integer> inputs = busy.remove(job);
        return inputs == null ? List.of() : inputs;
    }

    /** Returns the text of an event, in addition to its files. */
    private static @Nullable String text(LsmEvent event) {
        if (event instanceof LsmEvent.Failure failure) {
            return failure.what() + " failed: " + failure.reason();
        }
        if (event instanceof LsmEvent.Put put) {
            return put.kvs() + " KVs of a small SST were put";
        }
        if (event instanceof LsmEvent.Gap gap) {
            return gap.events() + " events are missing: " + gap.reason();
        }
        return null;
    }

    private static void figures(JsonGenerator json, LsmFigures now) throws IOException {
        json.writeArrayFieldStart("f");
        json.writeNumber(now.height());
        json.writeNumber(now.files());
        json.writeNumber(now.l0Files());
        json.writeNumber(now.bytes());
        json.writeNumber(now.bytesIngested());
        json.writeNumber(now.bytesWritten());
        json.writeEndArray();
    }

    private void file(JsonGenerator json, TreeFile live) throws IOException {
        LsmFile file = live.file();
        json.writeStartArray();
        json.writeString(file.name());
        json.writeNumber(file.level());
        json.writeNumber(position(file.bounds().smallest()));
        json.writeNumber(position(file.bounds().largest()));
        json.writeNumber(file.fileBytes());
        json.writeNumber(file.entries());
        json.writeString(live.origin().name().toLowerCase(Locale.ROOT));
        json.writeNumber(live.bornSeq());
        json.writeEndArray();
    }

    private int position(byte[] key) {
        return keys.getOrDefault(key, 0);
    }

    private static void numbers(JsonGenerator json, String name, List<Integer> numbers) throws IOException {
        if (numbers.isEmpty()) {
            return;
        }
        json.writeArrayFieldStart(name);
        for (int number : numbers) {
            json.writeNumber(number);
        }
        json.writeEndArray();
    }
}
