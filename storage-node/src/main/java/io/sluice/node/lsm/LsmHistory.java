package io.sluice.node.lsm;

import io.sluice.api.error.OperationFailedException;
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
 * What happened to LSM trees, in order, and how they looked at any point of it.
 *
 * @param entries the events by growing number
 * @param notes what a reader must know about gaps and damage, one sentence each; usually none
 */
public record LsmHistory(List<LsmEntry> entries, List<String> notes) {
    public LsmHistory {
        entries = List.copyOf(entries);
        notes = List.copyOf(notes);
    }

    /**
     * Reads a store's event log, which somebody may be writing meanwhile.
     *
     * @return null when the store has none
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
     * Reads an event log from elsewhere, as {@code GET /v1/lsm} sends it; the stream stays the caller's.
     *
     * @throws IOException when the stream breaks off
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

    /** The column families that something happened to, in the order in which they appear. */
    public List<String> families() {
        Set<String> names = new LinkedHashSet<>();
        entries.forEach(entry -> names.add(entry.family()));
        return List.copyOf(names);
    }

    /** What happened to one column family. */
    public LsmHistory of(String family) {
        return new LsmHistory(
                entries.stream().filter(entry -> entry.family().equals(family)).toList(), notes);
    }

    /** The same with a note more. */
    public LsmHistory with(String note) {
        List<String> more = new ArrayList<>(notes);
        more.add(note);
        return new LsmHistory(entries, more);
    }

    /** How a column family's tree looked after the last event whose number is not above {@code seq}. */
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

    /** How a column family's tree looked in the end. */
    public LsmState atEnd(String family) {
        return at(family, Long.MAX_VALUE);
    }
}
