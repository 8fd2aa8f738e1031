package io.sluice.engine.lsm;

import io.sluice.engine.store.LsmFile;
import io.sluice.model.file.OwnerOnly;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The file of the event log, and the state of each column family at its end. The first append opens and reads it. For
 * one thread.
 *
 * <p>Invariant: the file begins with a known state: empty, or a {@link LsmEvent.Snapshot} per column family. So a
 * replay from the start knows the state at every line.
 */
final class LogFile implements AutoCloseable {
    /** The largest fraction of the cap after a truncation; above it, the log would be truncated too often. */
    private static final double MAX_SHARE_AFTER_SHORTENING = 0.75;

    private final Path path;
    private final long capBytes;
    private final Map<String, Tracked> families = new TreeMap<>();
    private @Nullable OutputStream out;
    private long bytes;
    private long seq;

    /** A column family's state, and the table name of its last event. */
    private static final class Tracked {
        final LsmState state = new LsmState();

        @Nullable
        String table;

        long atMillis;
    }

    LogFile(Path path, long capBytes) {
        this.path = path;
        this.capBytes = capBytes;
    }

    /** Appends an event with the time and the family of a queued one. */
    void append(QueuedEvent queued, LsmEvent event) throws IOException {
        OutputStream open = open();
        Tracked family = families.computeIfAbsent(queued.family(), name -> new Tracked());
        seq++;
        family.state.apply(seq, event);
        family.atMillis = queued.atMillis();
        if (queued.table() != null) {
            family.table = queued.table();
        }
        byte[] line = EntryJson.write(
                new LsmEntry(seq, queued.atMillis(), queued.family(), queued.table(), event, family.state.figures()));
        open.write(line);
        bytes += line.length;
        if (event instanceof LsmEvent.Drop) {
            families.remove(queued.family());
        }
        if (bytes > capBytes) {
            shorten();
        }
    }

    void flush() throws IOException {
        if (out != null) {
            out.flush();
        }
    }

    private OutputStream open() throws IOException {
        OutputStream open = out;
        if (open == null) {
            if (Files.exists(path)) {
                bytes = replayed(families, Long.MAX_VALUE).end();
                truncate(bytes);
            }
            open = stream();
            out = open;
        }
        return open;
    }

    private OutputStream stream() throws IOException {
        return new BufferedOutputStream(Channels.newOutputStream(
                OwnerOnly.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.APPEND)));
    }

    /** Removes an incomplete last line, which a killed process may have left. */
    private void truncate(long length) throws IOException {
        if (Files.size(path) > length) {
            try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
                channel.truncate(length);
            }
        }
    }

    /**
     * The extent of a part of the log.
     *
     * @param end offset after its last line
     * @param lastSeq sequence number of its last event
     * @param events number of its events
     */
    private record Part(long end, long lastSeq, long events) {}

    /** Replays whole lines until an offset is reached. */
    private Part replayed(Map<String, Tracked> into, long until) throws IOException {
        long last = 0;
        long events = 0;
        try (LogLines lines = new LogLines(path)) {
            for (String line = lines.next(); line != null; line = lines.next()) {
                LsmEntry entry = EntryJson.read(line);
                if (entry != null) {
                    replay(into, entry);
                    last = entry.seq();
                    events++;
                }
                if (lines.end() >= until) {
                    break;
                }
            }
            return new Part(lines.end(), last, events);
        }
    }

    private void replay(Map<String, Tracked> into, LsmEntry entry) {
        seq = Math.max(seq, entry.seq());
        if (entry.event() instanceof LsmEvent.Drop) {
            into.remove(entry.family());
            return;
        }
        Tracked family = into.computeIfAbsent(entry.family(), name -> new Tracked());
        family.state.apply(entry);
        family.atMillis = entry.atMillis();
        if (entry.table() != null) {
            family.table = entry.table();
        }
    }

    /** Replaces the older half of the file by the state at its end. */
    private void shorten() throws IOException {
        OutputStream open = open();
        open.close();
        out = null;
        Path part = path.resolveSibling(path.getFileName() + ".part");
        Map<String, Tracked> then = new TreeMap<>();
        Part dropped = replayed(then, bytes / 2);
        long kept = bytes - dropped.end();
        long headBytes = 0;
        try (OutputStream shorter = new BufferedOutputStream(Channels.newOutputStream(OwnerOnly.open(
                part, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)))) {
            for (LsmEntry entry : beginning(then, dropped)) {
                byte[] line = EntryJson.write(entry);
                shorter.write(line);
                headBytes += line.length;
            }
            if (headBytes + kept > capBytes * MAX_SHARE_AFTER_SHORTENING) {
                throw new IOException("one snapshot of all files takes " + headBytes + " of the " + capBytes
                        + " bytes that the log may have");
            }
            copyFrom(dropped.end(), shorter);
        }
        Files.move(part, path, StandardCopyOption.ATOMIC_MOVE);
        bytes = Files.size(path);
        out = stream();
    }

    private void copyFrom(long offset, OutputStream to) throws IOException {
        try (InputStream old = Files.newInputStream(path)) {
            old.skipNBytes(offset);
            old.transferTo(to);
        }
    }

    /** The first entries of a truncated log: per family a gap, and a snapshot of its files. */
    private static List<LsmEntry> beginning(Map<String, Tracked> families, Part dropped) {
        List<LsmEntry> entries = new ArrayList<>();
        families.forEach((name, family) -> {
            LsmFigures after = family.state.figures();
            entries.add(new LsmEntry(
                    dropped.lastSeq(),
                    family.atMillis,
                    name,
                    family.table,
                    new LsmEvent.Gap(
                            dropped.events(), "the log reached its size limit, and its older half was dropped"),
                    after));
            List<LsmFile> files =
                    family.state.files().stream().map(TreeFile::file).toList();
            entries.add(new LsmEntry(
                    dropped.lastSeq(), family.atMillis, name, family.table, new LsmEvent.Snapshot(files), after));
        });
        return entries;
    }

    @Override
    public void close() throws IOException {
        if (out != null) {
            out.close();
        }
    }
}
