package io.sluice.cli.jobs;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.cli.output.Printable;
import java.util.ArrayList;
import java.util.List;

/** Formats rejects and conflicts as text tables. Columns are left-aligned; the last one is not padded. */
final class RecordTables {
    private static final String GAP = "  ";

    private RecordTables() {}

    /** Formats rejects: position, column, code and reason. */
    static List<String> ofRejects(List<JsonNode> records) {
        List<String[]> rows = new ArrayList<>();
        rows.add(new String[] {"at", "column", "code", "what is wrong"});
        for (JsonNode each : records) {
            rows.add(new String[] {place(each), text(each, "column"), text(each, "code"), text(each, "message")});
        }
        return aligned(rows);
    }

    /** Formats conflicts: position, index, key and the row that stays. */
    static List<String> ofConflicts(List<JsonNode> records) {
        List<String[]> rows = new ArrayList<>();
        rows.add(new String[] {"at", "index", "key", "stays"});
        for (JsonNode each : records) {
            JsonNode other = each.path("other");
            rows.add(new String[] {
                place(each),
                text(each, "index"),
                text(each, "key"),
                other.has("file") ? place(other) : "the row of the table"
            });
        }
        return aligned(rows);
    }

    /** Formats the position: file and line, or file and byte for formats without lines. */
    private static String place(JsonNode each) {
        String file = text(each, "file");
        return each.hasNonNull("line")
                ? file + ":" + each.path("line").asLong()
                : file + " byte " + each.path("byte").asLong();
    }

    private static String text(JsonNode each, String name) {
        return each.hasNonNull(name) ? Printable.line(each.path(name).asText()) : "-";
    }

    private static List<String> aligned(List<String[]> rows) {
        int last = rows.get(0).length - 1;
        int[] widths = new int[last];
        for (String[] row : rows) {
            for (int i = 0; i < last; i++) {
                widths[i] = Math.max(widths[i], row[i].length());
            }
        }
        List<String> lines = new ArrayList<>();
        for (String[] row : rows) {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < last; i++) {
                line.append(row[i])
                        .append(" ".repeat(widths[i] - row[i].length()))
                        .append(GAP);
            }
            lines.add(line.append(row[last]).toString());
        }
        return lines;
    }
}
