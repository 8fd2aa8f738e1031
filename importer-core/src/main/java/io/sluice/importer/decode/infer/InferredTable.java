package io.sluice.importer.decode.infer;

import io.sluice.api.error.BadInputException;
import io.sluice.api.schema.Ddl;
import java.util.List;
import java.util.Locale;

/**
 * A table that is proposed.
 *
 * @param name of the table
 * @param remarks what the proposal rests on
 * @param columns in the order of the file
 */
public record InferredTable(String name, List<String> remarks, List<InferredColumn> columns) {
    private static final String PLAIN = "[A-Za-z_][A-Za-z0-9_]*";

    public InferredTable {
        remarks = List.copyOf(remarks);
        columns = List.copyOf(columns);
    }

    /** The table as DDL that Sluice reads, with comments. */
    public String ddl() {
        String plain = ddl(false);
        try {
            Ddl.parse(plain, name);
            return plain;
        } catch (BadInputException e) {
            // A name that is a word of SQL: then all are quoted, which is always right.
            return ddl(true);
        }
    }

    private String ddl(boolean quoteAll) {
        StringBuilder out = new StringBuilder();
        remarks.forEach(remark -> out.append("-- ").append(oneLine(remark)).append('\n'));
        out.append("CREATE TABLE ").append(identifier(name, quoteAll)).append(" (\n");
        long left = columns.stream().filter(InferredColumn::isColumn).count();
        for (InferredColumn column : columns) {
            if (column.isColumn()) {
                left--;
                out.append("  ")
                        .append(identifier(column.name(), quoteAll))
                        .append(' ')
                        .append(column.sql());
                out.append(left > 0 ? "," : "");
                out.append(column.comment().isEmpty() ? "" : " -- " + oneLine(column.comment()));
            } else {
                out.append("  -- no column ").append(oneLine(column.name() + ": " + column.comment()));
            }
            out.append('\n');
        }
        return out.append(");\n").toString();
    }

    private static String identifier(String name, boolean quote) {
        return !quote && name.matches(PLAIN) ? name.toLowerCase(Locale.ROOT) : "\"" + name.replace("\"", "\"\"") + "\"";
    }

    private static String oneLine(String text) {
        return text.replaceAll("\\R", " ");
    }
}
