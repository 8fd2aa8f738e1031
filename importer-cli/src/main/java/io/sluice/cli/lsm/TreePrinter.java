package io.sluice.cli.lsm;

import com.fasterxml.jackson.core.JsonGenerator;
import io.sluice.cli.output.Json;
import io.sluice.cli.progress.Units;
import io.sluice.engine.lsm.LsmEntry;
import io.sluice.engine.lsm.LsmFigures;
import io.sluice.engine.lsm.LsmHistory;
import io.sluice.engine.lsm.LsmState;
import io.sluice.engine.lsm.Origin;
import io.sluice.engine.lsm.TreeFile;
import io.sluice.engine.store.LsmFile;
import io.sluice.model.error.BadInputException;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;

/** Trees as text, each by sublevels and its files by age, or as JSON. */
final class TreePrinter {
    private static final int WIDTH = 100;
    /** Older files are counted, not drawn: a screen has about as many lines. */
    private static final int MAX_AGED = 40;

    private static final int LABEL_WIDTH = 26;

    private final Subject subject;
    private final long at;

    TreePrinter(Subject subject, long at) {
        this.subject = subject;
        this.at = at;
    }

    /** The lines for people. */
    List<String> text() {
        List<String> lines = new ArrayList<>();
        for (String family : subject.families()) {
            if (!lines.isEmpty()) {
                lines.add("");
            }
            if (subject.families().size() > 1 && !begun(family)) {
                lines.add("column family " + family + ": no events up to " + at);
            } else {
                tree(Moment.of(subject.history(), family, at), lines);
            }
        }
        subject.history().notes().forEach(note -> lines.add("note: " + note));
        return lines;
    }

    private boolean begun(String family) {
        return subject.history().of(family).entries().get(0).seq() <= at;
    }

    private void tree(Moment moment, List<String> lines) {
        LsmFigures now = moment.last().after();
        String table = subject.tableOf(moment.family());
        lines.add((table == null ? "" : "table " + table + ", ") + "column family " + moment.family() + ", after event "
                + moment.last().seq() + " (" + moment.last().event().kind() + ", " + moment.time() + "); events "
                + moment.firstSeq() + " to " + moment.lastSeq() + " of the " + subject.source());
        lines.add(String.format(
                Locale.ROOT,
                "height %d, %s (%d in level 0), %s, write amplification %.2f",
                now.height(),
                Units.number(now.files(), "file"),
                now.l0Files(),
                Units.bytes((double) now.bytes()),
                now.writeAmplification()));
        if (moment.state().files().isEmpty()) {
            lines.add("no files");
            return;
        }
        lines.add("");
        lines.add("by sublevels: a file stands above the older files whose keys it shares");
        sublevels(moment, lines);
        lines.add("");
        lines.add("by age: newest on top; = ingested, ~ flushed, # compacted, - there before");
        ages(moment, lines);
    }

    private static void sublevels(Moment moment, List<String> lines) {
        try {
            moment.state().sublevels().describe(WIDTH).lines().forEach(lines::add);
        } catch (IllegalArgumentException e) {
            // Only a history with gaps gets here; its notes say so, and the files by age can still be drawn.
            lines.add("these files cannot be one tree, events must be missing: " + e.getMessage());
        }
    }

    private static void ages(Moment moment, List<String> lines) {
        List<TreeFile> newestFirst = new ArrayList<>(moment.state().files());
        newestFirst.sort(Comparator.comparingLong(TreeFile::bornSeq)
                .thenComparing(file -> file.file().name())
                .reversed());
        List<byte[]> keys = keys(newestFirst);
        newestFirst.stream().limit(MAX_AGED).forEach(file -> lines.add(aged(file, keys)));
        if (newestFirst.size() > MAX_AGED) {
            lines.add("and " + (newestFirst.size() - MAX_AGED) + " older files; --json lists them all");
        }
    }

    private static List<byte[]> keys(List<TreeFile> files) {
        TreeSet<byte[]> keys = new TreeSet<>(Arrays::compareUnsigned);
        for (TreeFile file : files) {
            keys.add(file.file().bounds().smallest());
            keys.add(file.file().bounds().largest());
        }
        return List.copyOf(keys);
    }

    private static String aged(TreeFile live, List<byte[]> keys) {
        LsmFile file = live.file();
        char[] canvas = new char[WIDTH - LABEL_WIDTH];
        Arrays.fill(canvas, ' ');
        int from = column(keys, file.bounds().smallest(), canvas.length);
        int to = column(keys, file.bounds().largest(), canvas.length);
        Arrays.fill(canvas, from, to + 1, mark(live.origin()));
        String label = String.format(
                Locale.ROOT, "%-11s L%-3d%8s", file.name(), file.level(), Units.bytes((double) file.fileBytes()));
        return (String.format(Locale.ROOT, "%-" + LABEL_WIDTH + "s", label) + new String(canvas)).stripTrailing();
    }

    private static int column(List<byte[]> keys, byte[] key, int columns) {
        int index = Collections.binarySearch(keys, key, Arrays::compareUnsigned);
        return keys.size() == 1 ? 0 : (int) ((long) index * (columns - 1) / (keys.size() - 1));
    }

    private static char mark(Origin origin) {
        return switch (origin) {
            case INGESTED -> '=';
            case FLUSHED -> '~';
            case COMPACTED -> '#';
            case BEFORE -> '-';
        };
    }

    /** A JSON object on one line for each tree. */
    List<String> json() {
        return subject.families().stream().map(this::json).toList();
    }

    private String json(String family) {
        Moment moment = Moment.of(subject.history(), family, at);
        return Json.object(json -> {
            json.writeStringField("family", family);
            json.writeStringField("table", subject.tableOf(family));
            json.writeStringField("source", subject.source());
            json.writeNumberField("event", moment.last().seq());
            json.writeStringField("kind", moment.last().event().kind());
            json.writeNumberField("atMillis", moment.last().atMillis());
            json.writeNumberField("firstEvent", moment.firstSeq());
            json.writeNumberField("lastEvent", moment.lastSeq());
            figures(json, moment.last().after());
            json.writeArrayFieldStart("files");
            for (TreeFile file : moment.state().files()) {
                file(json, file);
            }
            json.writeEndArray();
            Json.texts(json, "notes", subject.history().notes());
        });
    }

    private static void figures(JsonGenerator json, LsmFigures now) throws IOException {
        json.writeNumberField("height", now.height());
        json.writeNumberField("fileCount", now.files());
        json.writeNumberField("l0Files", now.l0Files());
        json.writeNumberField("bytes", now.bytes());
        json.writeNumberField("bytesIngested", now.bytesIngested());
        json.writeNumberField("bytesWritten", now.bytesWritten());
        json.writeNumberField("writeAmplification", now.writeAmplification());
    }

    private static void file(JsonGenerator json, TreeFile live) throws IOException {
        LsmFile file = live.file();
        HexFormat hex = HexFormat.of();
        json.writeStartObject();
        json.writeStringField("name", file.name());
        json.writeNumberField("level", file.level());
        json.writeStringField("smallest", hex.formatHex(file.bounds().smallest()));
        json.writeStringField("largest", hex.formatHex(file.bounds().largest()));
        json.writeNumberField("bytes", file.fileBytes());
        if (file.entries() != LsmFile.UNKNOWN) {
            json.writeNumberField("entries", file.entries());
        }
        json.writeStringField("origin", live.origin().name().toLowerCase(Locale.ROOT));
        json.writeNumberField("bornAtEvent", live.bornSeq());
        json.writeEndObject();
    }

    /**
     * A column family's tree after one of its events.
     *
     * @param family its name
     * @param last the last of its events up to then
     * @param firstSeq number of its first event
     * @param lastSeq number of its last event of all
     * @param state the tree
     */
    private record Moment(String family, LsmEntry last, long firstSeq, long lastSeq, LsmState state) {
        /**
         * The moment after the last event whose number is not above {@code at}.
         *
         * @throws BadInputException when nothing had happened by then
         */
        static Moment of(LsmHistory history, String family, long at) {
            List<LsmEntry> own = history.of(family).entries();
            long first = own.get(0).seq();
            long last = own.get(own.size() - 1).seq();
            LsmEntry found = null;
            for (LsmEntry entry : own) {
                if (entry.seq() <= at) {
                    found = entry;
                }
            }
            if (found == null) {
                throw new BadInputException("--at " + at + ": the events of column family " + family
                        + " have the numbers " + first + " to " + last);
            }
            return new Moment(family, found, first, last, history.at(family, at));
        }

        /** When the last event was, or "unknown". */
        String time() {
            return last.atMillis() == 0
                    ? "unknown"
                    : Instant.ofEpochMilli(last.atMillis()).toString();
        }
    }
}
