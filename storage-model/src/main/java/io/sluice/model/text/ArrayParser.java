package io.sluice.model.text;

import io.sluice.model.kv.ElementCodec;
import io.sluice.model.row.Row;
import io.sluice.model.schema.ColumnType;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Parses arrays of one dimension into CockroachDB's binary form: a byte that says whether there are NULLs, the type of
 * the elements, their number, a bit for each one if there are NULLs, and the elements without tags.
 *
 * <p>A text is PostgreSQL's, such as {@code {1,2,NULL}} or {@code {"a b","c\\"d"}}, or a JSON array of scalars.
 *
 * <p>It allocates its memory anew for every array.
 */
final class ArrayParser implements DatumParser {
    private static final DatumProblem NESTED = new DatumProblem(
            DatumProblem.Code.SYNTAX, "has arrays or objects inside an array; a column of type JSONB takes them");

    private final String name;
    private final DatumParser parser;
    private final ElementCodec codec;

    ArrayParser(ColumnType type) {
        name = type.sql();
        ColumnType element = type.elementType();
        parser = DatumParser.of(element);
        codec = ElementCodec.of(element.kind());
    }

    @Override
    public @Nullable DatumProblem parse(byte[] buffer, int from, int to, Row row, int column) {
        int start = JsonScanner.skipSpace(buffer, from, to);
        Writer writer = new Writer(row, column, to - from);
        DatumProblem problem;
        if (start < to && buffer[start] == '{') {
            problem = writer.braces(buffer, start + 1, to);
        } else if (start < to && buffer[start] == '[') {
            problem = writer.json(buffer, start, to);
        } else {
            problem = syntax("it begins with neither { nor [");
        }
        if (problem == null) {
            writer.finish();
        } else {
            row.setNull(column);
        }
        return problem;
    }

    private DatumProblem syntax(String why) {
        return new DatumProblem(DatumProblem.Code.SYNTAX, name + " must be an array such as {1,2} or [1,2]: " + why);
    }

    /** Formats an array as PostgreSQL does. */
    static String format(byte[] buffer, int from, int length, ColumnType type) {
        ColumnType element = type.elementType();
        ElementCodec.Elements elements = new ElementCodec.Elements(element.kind(), buffer, from, length);
        Row row = new Row(1);
        StringBuilder text = new StringBuilder("{");
        while (elements.next(row, 0)) {
            text.append(text.length() == 1 ? "" : ",");
            String datum = DatumFormatter.format(row, 0, element);
            if (datum == null) {
                text.append("NULL");
            } else if (isPlain(datum)) {
                text.append(datum);
            } else {
                text.append('"')
                        .append(datum.replace("\\", "\\\\").replace("\"", "\\\""))
                        .append('"');
            }
            row.clear();
        }
        return text.append('}').toString();
    }

    private static boolean isPlain(String datum) {
        if (datum.isEmpty() || datum.equalsIgnoreCase("NULL")) {
            return false;
        }
        for (int i = 0; i < datum.length(); i++) {
            if (isSpecial(datum.charAt(i)) || isSpace(datum.charAt(i))) {
                return false;
            }
        }
        return true;
    }

    private static boolean isSpecial(int c) {
        return c == '{' || c == '}' || c == ',' || c == '"' || c == '\\';
    }

    private static boolean isSpace(int c) {
        return c == ' ' || (c >= '\t' && c <= '\r');
    }

    /** Writes one array. It uses the slot of the array for its elements. */
    private final class Writer {
        private final Row row;
        private final int column;
        /** The elements without the header. */
        private byte[] out;

        private int length;
        private int count;
        private byte[] nulls = {};
        private boolean anyNull;

        Writer(Row row, int column, int textBytes) {
            this.row = row;
            this.column = column;
            out = new byte[textBytes + 16];
        }

        /** Parses PostgreSQL's text after the opening brace. */
        @Nullable
        DatumProblem braces(byte[] buffer, int from, int to) {
            int at = Ascii.skipSpaces(buffer, from, to);
            if (at < to && buffer[at] == '}') {
                return end(buffer, at + 1, to);
            }
            while (at < to) {
                boolean quoted = buffer[at] == '"';
                int begin = quoted ? at + 1 : at;
                int close = quoted ? closingQuote(buffer, begin, to) : unquotedEnd(buffer, begin, to);
                if (close < 0 || (close == to && quoted)) {
                    return syntax("a quote is not closed");
                }
                DatumProblem problem = quoted ? unescaped(buffer, begin, close) : unquoted(buffer, begin, close);
                if (problem != null) {
                    return problem;
                }
                at = Ascii.skipSpaces(buffer, quoted ? close + 1 : close, to);
                if (at == to || (buffer[at] != ',' && buffer[at] != '}')) {
                    return at < to && buffer[at] == '{' ? NESTED : syntax("after an element, a comma or } is expected");
                }
                if (buffer[at] == '}') {
                    return end(buffer, at + 1, to);
                }
                at = Ascii.skipSpaces(buffer, at + 1, to);
            }
            return syntax("it is not closed");
        }

        private @Nullable DatumProblem end(byte[] buffer, int from, int to) {
            return Ascii.skipSpaces(buffer, from, to) == to ? null : syntax("text follows its end");
        }

        private static int closingQuote(byte[] buffer, int from, int to) {
            int at = from;
            while (at < to && buffer[at] != '"') {
                at += buffer[at] == '\\' ? 2 : 1;
            }
            return at < to ? at : -1;
        }

        private static int unquotedEnd(byte[] buffer, int from, int to) {
            int at = from;
            while (at < to && (!isSpecial(buffer[at]) || buffer[at] == '\\')) {
                at += buffer[at] == '\\' ? 2 : 1;
            }
            return Math.min(at, to);
        }

        private @Nullable DatumProblem unquoted(byte[] buffer, int from, int to) {
            int end = Ascii.trimEnd(buffer, from, to);
            if (end == from) {
                return to < buffer.length && buffer[to] == '{' ? NESTED : syntax("an element is empty; write \"\"");
            }
            if (Ascii.isWord(buffer, from, end, "null")) {
                addNull();
                return null;
            }
            return unescaped(buffer, from, end);
        }

        /** Adds an element, without its backslashes. */
        private @Nullable DatumProblem unescaped(byte[] buffer, int from, int to) {
            int at = from;
            while (at < to && buffer[at] != '\\') {
                at++;
            }
            if (at == to) {
                return add(buffer, from, to);
            }
            byte[] text = new byte[to - from];
            int written = 0;
            for (at = from; at < to; at++) {
                if (buffer[at] == '\\' && ++at == to) {
                    return syntax("a backslash ends an element");
                }
                text[written++] = buffer[at];
            }
            return add(text, 0, written);
        }

        @Nullable
        DatumProblem json(byte[] buffer, int from, int to) {
            JsonScanner in = new JsonScanner();
            in.reset(buffer, from, to);
            try {
                in.pos++;
                if (in.next() == ']') {
                    in.pos++;
                } else {
                    do {
                        DatumProblem problem = jsonElement(in);
                        if (problem != null) {
                            return problem;
                        }
                    } while (in.more(']'));
                }
                return in.next() < 0 ? null : syntax("text follows its end");
            } catch (MalformedJson e) {
                return syntax(e.getMessage() + " (byte " + (e.position() - from + 1) + ")");
            }
        }

        private @Nullable DatumProblem jsonElement(JsonScanner in) throws MalformedJson {
            int first = in.next();
            int from = in.pos;
            if (first == '{' || first == '[') {
                return NESTED;
            }
            if (first != '"') {
                in.scalar();
                if (first == 'n') {
                    addNull();
                    return null;
                }
                return add(in.buffer, from, in.pos);
            }
            int close = in.string();
            if (!in.escaped) {
                return add(in.buffer, from + 1, close);
            }
            byte[] text = new byte[close - from];
            return add(text, 0, in.unescape(from + 1, close, text, 0));
        }

        private void addNull() {
            if (count / 8 >= nulls.length) {
                nulls = Arrays.copyOf(nulls, Math.max(8, count / 4));
            }
            nulls[count / 8] |= (byte) (1 << count % 8);
            anyNull = true;
            count++;
        }

        private @Nullable DatumProblem add(byte[] text, int from, int to) {
            DatumProblem problem = parser.parse(text, from, to, row, column);
            if (problem != null) {
                String value = new String(text, from, Math.min(to - from, 40), StandardCharsets.UTF_8);
                return new DatumProblem(
                        problem.code(), "element " + (count + 1) + " ('" + value + "'): " + problem.message());
            }
            int most = codec.maxBytes(row, column);
            if (out.length - length < most) {
                out = Arrays.copyOf(out, Math.max(length + most, 2 * out.length));
            }
            length = codec.put(row, column, out, length);
            count++;
            return null;
        }

        void finish() {
            int nullBytes = anyNull ? (count + 7) / 8 : 0;
            byte[] array = new byte[8 + nullBytes + length];
            array[0] = (byte) (ElementCodec.ONE_DIMENSION | (anyNull ? ElementCodec.HAS_NULLS : 0));
            int at = ElementCodec.putCount(count, array, codec.putType(array, 1));
            System.arraycopy(nulls, 0, array, at, Math.min(nullBytes, nulls.length));
            System.arraycopy(out, 0, array, at + nullBytes, length);
            row.setBytes(column, array, 0, at + nullBytes + length);
        }
    }
}
