package io.sluice.cli.output;

import io.sluice.model.error.BadInputException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One CSV record (RFC 4180) to fields and back. NULL is an empty field without quotes; "" is the empty text. */
public final class CsvRecord {
    private CsvRecord() {}

    /** The record without a line end. */
    public static String format(List<@Nullable String> fields) {
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < fields.size(); i++) {
            if (i > 0) {
                out.append(',');
            }
            append(out, fields.get(i));
        }
        return out.toString();
    }

    private static void append(StringBuilder out, @Nullable String field) {
        if (field == null) {
            return;
        }
        if (!needsQuotes(field)) {
            out.append(field);
            return;
        }
        out.append('"').append(field.replace("\"", "\"\"")).append('"');
    }

    private static boolean needsQuotes(String field) {
        for (int i = 0; i < field.length(); i++) {
            char c = field.charAt(i);
            if (c == ',' || c == '"' || c == '\n' || c == '\r') {
                return true;
            }
        }
        return field.isEmpty();
    }

    /**
     * The fields of one record.
     *
     * @param what names the record in messages
     * @throws BadInputException when a quote is not closed or text follows one
     */
    public static List<@Nullable String> parse(String record, String what) {
        List<@Nullable String> fields = new ArrayList<>();
        int pos = 0;
        while (true) {
            if (pos < record.length() && record.charAt(pos) == '"') {
                StringBuilder field = new StringBuilder();
                pos = quoted(record, pos + 1, field, what);
                fields.add(field.toString());
            } else {
                int comma = record.indexOf(',', pos);
                int end = comma < 0 ? record.length() : comma;
                fields.add(end == pos ? null : record.substring(pos, end));
                pos = end;
            }
            if (pos == record.length()) {
                return fields;
            }
            if (record.charAt(pos) != ',') {
                throw new BadInputException(what + ": '" + record + "' has text behind a closing quote");
            }
            pos++;
        }
    }

    /** Takes a quoted field; returns the position behind its closing quote. */
    private static int quoted(String record, int from, StringBuilder field, String what) {
        int pos = from;
        while (true) {
            int quote = record.indexOf('"', pos);
            if (quote < 0) {
                throw new BadInputException(what + ": '" + record + "' has a quote that is not closed");
            }
            field.append(record, pos, quote);
            if (quote + 1 == record.length() || record.charAt(quote + 1) != '"') {
                return quote + 1;
            }
            field.append('"');
            pos = quote + 2;
        }
    }
}
