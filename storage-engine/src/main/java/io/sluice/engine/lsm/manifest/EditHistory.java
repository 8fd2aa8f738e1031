package io.sluice.engine.lsm.manifest;

import io.sluice.engine.lsm.LsmEntry;
import io.sluice.engine.lsm.LsmEvent;
import io.sluice.engine.lsm.LsmState;
import io.sluice.engine.lsm.manifest.VersionEdit.AddedFile;
import io.sluice.engine.store.KeyBounds;
import io.sluice.engine.store.LsmFile;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Converts version edits to events. An edit does not name its operation. One that adds and removes files is a
 * compaction. One that only adds files is a flush if it also advances to a newer write-ahead log, else an ingestion.
 * Edits that change no files have no event.
 */
final class EditHistory {
    private static final String DEFAULT_FAMILY = "default";
    private static final String BYTE_ORDER = "leveldb.BytewiseComparator";
    private static final long MILLIS = 1000;

    private final Map<Integer, String> names = new HashMap<>(Map.of(0, DEFAULT_FAMILY));
    private final Map<Integer, LsmState> states = new HashMap<>();
    private final List<LsmEntry> entries = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();
    private long atMillis;

    void add(VersionEdit edit) {
        if (edit.addsFamily() != null) {
            names.put(edit.family(), edit.addsFamily());
        }
        String order = edit.comparator();
        if (order != null && !order.equals(BYTE_ORDER)) {
            notes.add("the keys of column family " + name(edit.family()) + " are ordered by " + order
                    + "; they are drawn in the order of their bytes");
        }
        LsmEvent event = event(edit);
        if (event != null) {
            add(edit, event);
        }
    }

    private void add(VersionEdit edit, LsmEvent event) {
        for (AddedFile file : edit.added()) {
            atMillis = Math.max(atMillis, file.createdSeconds() * MILLIS);
        }
        LsmState state = states.computeIfAbsent(edit.family(), id -> new LsmState());
        long seq = entries.size() + 1L;
        state.apply(seq, event);
        entries.add(new LsmEntry(seq, atMillis, name(edit.family()), null, event, state.figures()));
    }

    private static @Nullable LsmEvent event(VersionEdit edit) {
        if (edit.dropsFamily()) {
            return new LsmEvent.Drop();
        }
        List<LsmFile> added = edit.added().stream().map(EditHistory::file).toList();
        List<String> removed =
                edit.removed().stream().map(EditHistory::fileName).toList();
        if (added.isEmpty()) {
            return removed.isEmpty() ? null : new LsmEvent.Removal(removed);
        }
        if (!removed.isEmpty()) {
            return new LsmEvent.CompactionEnd(0, removed, added);
        }
        if (edit.stating()) {
            return new LsmEvent.Snapshot(added);
        }
        return edit.advancesLog() ? new LsmEvent.Flush(added) : new LsmEvent.Ingest(added);
    }

    private static LsmFile file(AddedFile file) {
        // With another key order, the last key may be the smaller one.
        boolean ordered = Arrays.compareUnsigned(file.smallest(), file.largest()) <= 0;
        KeyBounds bounds = ordered
                ? new KeyBounds(file.smallest(), file.largest())
                : new KeyBounds(file.largest(), file.smallest());
        return new LsmFile(fileName(file.number()), file.level(), bounds, LsmFile.UNKNOWN, file.bytes(), 0);
    }

    private static String fileName(long number) {
        return String.format(Locale.ROOT, "%06d.sst", number);
    }

    private String name(int family) {
        return names.getOrDefault(family, "#" + family);
    }

    List<LsmEntry> entries() {
        return entries;
    }

    List<String> notes() {
        return notes;
    }
}
