package io.sluice.engine.lsm;

import io.sluice.model.error.OperationFailedException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The history of LSM trees: all events in order, and the state of a tree after any of them.
 *
 * @param entries the events in ascending order of their numbers
 * @param notes remarks about gaps and damage, one sentence each; usually none
 */
public record LsmHistory(List<LsmEntry> entries, List<String> notes) {
    public LsmHistory {
        entries = List.copyOf(entries);
        notes = List.copyOf(notes);
    }

    /**
     * Reads a store's event log, which a running node may be writing.
     *
     * @return the history, or null when the store has no log
     */
    public static @Nullable LsmHistory ofLog(Path storeDirectory) {
        Path file = storeDirectory.resolve(LsmEvents.FILE_NAME);
        if (!Files.exists(file)) {
            return null;
        }
        try (LogLines lines = new LogLines(file)) {
            return of(lines);
        } catch (IOException e) {
            throw new OperationFailedException("cannot read the event log " + file + ": " + e.getMessage(), e);
        }
    }

    /**
     * Reads an event log from a stream, as {@code GET /v1/lsm} sends it. The caller closes the stream.
     *
     * @throws IOException when the stream ends with an error
     */
    public static LsmHistory ofStream(InputStream log) throws IOException {
        return of(new LogLines(log));
    }

    private static LsmHistory of(LogLines lines) throws IOException {
        List<LsmEntry> entries = new ArrayList<>();
        List<String> notes = new ArrayList<>();
        int unknown = 0;
        for (String line = lines.next(); line != null; line = lines.next()) {
            LsmEntry entry = EntryJson.read(line);
            if (entry == null) {
                unknown++;
            } else {
                entries.add(entry);
            }
        }
        if (lines.torn() > 0) {
            notes.add("the log's last line is incomplete, " + lines.torn() + " bytes; it was left out");
        }
        if (unknown > 0) {
            notes.add(unknown + " lines of the log are no events that this version knows; they were left out");
        }
        entries.stream()
                .filter(entry -> entry.event() instanceof LsmEvent.Gap)
                .map(entry -> gapNote(entry, (LsmEvent.Gap) entry.event()))
                .distinct()
                .forEach(notes::add);
        return new LsmHistory(entries, notes);
    }

    private static String gapNote(LsmEntry entry, LsmEvent.Gap gap) {
        return gap.events() + " events up to number " + entry.seq() + " are missing: " + gap.reason();
    }

    /** The column families with events, in the order of their first event. */
    public List<String> families() {
        Set<String> names = new LinkedHashSet<>();
        entries.forEach(entry -> names.add(entry.family()));
        return List.copyOf(names);
    }

    /** The history of one column family. */
    public LsmHistory of(String family) {
        return new LsmHistory(
                entries.stream().filter(entry -> entry.family().equals(family)).toList(), notes);
    }

    /** This history with one more note. */
    public LsmHistory with(String note) {
        List<String> more = new ArrayList<>(notes);
        more.add(note);
        return new LsmHistory(entries, more);
    }

    /** The state of a column family's tree after the last event with a number of at most {@code seq}. */
    public LsmState at(String family, long seq) {
        LsmState state = new LsmState();
        for (LsmEntry entry : entries) {
            if (entry.seq() > seq) {
                break;
            }
            if (entry.family().equals(family)) {
                state.apply(entry);
            }
        }
        return state;
    }

    /** The state of a column family's tree after the last event. */
    public LsmState atEnd(String family) {
        return at(family, Long.MAX_VALUE);
    }
}
