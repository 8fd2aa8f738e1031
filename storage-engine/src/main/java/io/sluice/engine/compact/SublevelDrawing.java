package io.sluice.engine.compact;

import io.sluice.engine.store.KeyBounds;
import io.sluice.engine.store.LsmFile;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** The drawing of a {@link SublevelMap}: one row per sublevel, newest on top, then the keys, then a summary. */
final class SublevelDrawing {
    private static final int MIN_WIDTH = 20;

    private final SublevelMap map;
    private final KeyAxis axis;
    private final int margin;
    private final int columns;

    SublevelDrawing(SublevelMap map, KeyAxis axis, int width) {
        this.map = map;
        this.axis = axis;
        this.margin = map.sublevels().stream()
                        .mapToInt(sublevel -> sublevel.label().length())
                        .max()
                        .orElse(0)
                + 2;
        this.columns = Math.max(MIN_WIDTH, width) - margin;
    }

    String text() {
        List<String> lines = new ArrayList<>();
        List<Sublevel> sublevels = map.sublevels();
        for (int i = sublevels.size() - 1; i >= 0; i--) {
            lines.add(row(sublevels.get(i)));
        }
        if (!sublevels.isEmpty()) {
            lines.add(keys());
        }
        lines.add(summary());
        return String.join("\n", lines) + "\n";
    }

    private String row(Sublevel sublevel) {
        char[] canvas = blank();
        for (LsmFile file : sublevel.files()) {
            int from = column(axis.indexOf(file.bounds().smallest()));
            int to = column(axis.indexOf(file.bounds().largest()));
            Arrays.fill(canvas, from, to + 1, '-');
            canvas[from] = '|';
            canvas[to] = '|';
            write(canvas, from + 1, to, file.label());
        }
        return line(sublevel.label(), canvas);
    }

    /** Writes a text into the middle of {@code [from, to)}, if there is room. */
    private static void write(char[] canvas, int from, int to, String text) {
        int spare = to - from - text.length();
        if (spare >= 0) {
            text.getChars(0, text.length(), canvas, from + spare / 2);
        }
    }

    /** The line of key labels that fit, each at its column and separated by a blank. */
    private String keys() {
        char[] canvas = blank();
        int free = 0;
        for (int i = 0; i < axis.keys(); i++) {
            String label = KeyBounds.label(axis.key(i));
            int from = column(i);
            if (from >= free && from + label.length() <= columns) {
                label.getChars(0, label.length(), canvas, from);
                free = from + label.length() + 1;
            }
        }
        return line("", canvas);
    }

    private String summary() {
        KeyBounds peak = map.tallestPeak();
        if (peak == null) {
            return "no files";
        }
        return String.format(
                Locale.ROOT,
                "%d files, %s, %d sublevels, tallest %d at %s",
                map.fileCount(),
                CompactionPick.amount(map.totalBytes()),
                map.sublevels().size(),
                map.height(),
                peak);
    }

    private int column(int key) {
        return axis.keys() == 1 ? 0 : (int) ((long) key * (columns - 1) / (axis.keys() - 1));
    }

    private char[] blank() {
        char[] canvas = new char[columns];
        Arrays.fill(canvas, ' ');
        return canvas;
    }

    private String line(String label, char[] canvas) {
        return (label + " ".repeat(margin - label.length()) + new String(canvas)).stripTrailing();
    }
}
