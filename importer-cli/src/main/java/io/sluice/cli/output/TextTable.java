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
        return rows.stream().map(row -> textLine(row, widths)).toList();
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

    private static String gap(List<String> row, int[] widths, int column) {
        return " ".repeat(Math.max(0, widths[column] - row.get(column).length()));
    }

    private static String textLine(List<String> row, int[] widths) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < widths.length - 1; i++) {
            line.append(row.get(i))
                    .append(" ".repeat(widths[i] - row.get(i).length()))
                    .append(GAP);
        }
        return line.append(row.get(widths.length - 1)).toString();
    }

    /** A further row in columns of these widths; longer cells take more room. */
    public static String line(List<String> row, int[] widths) {
        StringBuilder line = new StringBuilder(row.get(0)).append(gap(row, widths, 0));
        for (int i = 1; i < widths.length; i++) {
            line.append(GAP).append(gap(row, widths, i)).append(row.get(i));
        }
        return line.toString();
    }
}
