package io.sluice.cli.output;

import java.util.ArrayList;
import java.util.List;

/** Lines of cells with aligned columns. */
public final class TextTable {
    private static final String GAP = "  ";

    private final List<List<String>> rows = new ArrayList<>();

    public TextTable(String... header) {
        rows.add(List.of(header));
    }

    /** Adds a row of as many cells as the header has. */
    public void row(String... cells) {
        if (cells.length != rows.get(0).size()) {
            throw new IllegalArgumentException(
                    cells.length + " cells, the header has " + rows.get(0).size());
        }
        rows.add(List.of(cells));
    }

    /** All lines, the header first: the first column to the left, the others, numbers mostly, to the right. */
    public List<String> lines() {
        int[] widths = widths();
        return rows.stream().map(row -> line(row, widths)).toList();
    }

    /** All lines, the header first, with all columns to the left. */
    public List<String> textLines() {
        int[] widths = widths();
        return rows.stream().map(row -> line(row, widths, true)).toList();
    }

    /** Widths of the columns. */
    public int[] widths() {
        int columns = rows.get(0).size();
        int[] widths = new int[columns];
        for (List<String> row : rows) {
            for (int i = 0; i < columns; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        return widths;
    }

    /** A further row in columns of these widths; longer cells take more room. */
    public static String line(List<String> row, int[] widths) {
        return line(row, widths, false);
    }

    private static String line(List<String> row, int[] widths, boolean left) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < widths.length; i++) {
            int spaces = left && i == widths.length - 1
                    ? 0
                    : Math.max(0, widths[i] - row.get(i).length());
            String padding = " ".repeat(spaces);
            boolean before = i > 0 && !left;
            line.append(i == 0 ? "" : GAP).append(before ? padding : row.get(i)).append(before ? row.get(i) : padding);
        }
        return line.toString();
    }
}
