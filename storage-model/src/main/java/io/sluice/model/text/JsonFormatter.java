package io.sluice.model.text;

import io.sluice.model.kv.CorruptKvException;
import io.sluice.model.kv.ElementCodec;
import io.sluice.model.row.Row;
import io.sluice.model.schema.ColumnType;
import io.sluice.model.schema.TypeKind;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;

/**
 * Formats a JSON document from its binary form, which {@link JsonParser} describes, with a blank after each comma and
 * colon. For one document.
 */
final class JsonFormatter {
    private static final int WORD = Integer.BYTES;
    private static final ColumnType DECIMAL = ColumnType.of(TypeKind.DECIMAL);
    /** Control characters with a short escape, each before its letter. */
    private static final String SHORT_ESCAPES = "\nn\tt\rr\bb\ff";

    private final byte[] bytes;
    private final int to;
    private final StringBuilder text = new StringBuilder();
    private final Row number = new Row(1);

    private JsonFormatter(byte[] bytes, int to) {
        this.bytes = bytes;
        this.to = to;
    }

    /**
     * Formats a document.
     *
     * @throws CorruptKvException if the bytes are none
     */
    static String format(byte[] bytes, int from, int length) {
        JsonFormatter formatter = new JsonFormatter(bytes, from + length);
        try {
            int end = formatter.container(from, 0);
            if (end != from + length) {
                throw formatter.corrupt("has bytes after its end");
            }
        } catch (ArrayIndexOutOfBoundsException | StringIndexOutOfBoundsException e) {
            throw formatter.corrupt("ends too early");
        }
        return formatter.text.toString();
    }

    private CorruptKvException corrupt(String what) {
        return new CorruptKvException("a JSON document " + what, Arrays.copyOf(bytes, 0));
    }

    /** Formats a container; returns the position after it. */
    private int container(int at, int depth) {
        if (depth > JsonScanner.MAX_DEPTH) {
            throw corrupt("is nested too deep");
        }
        int header = word(at);
        int count = header & ~JsonParser.CONTAINER_KIND;
        boolean object = (header & JsonParser.CONTAINER_KIND) == JsonParser.OBJECT;
        int entries = at + WORD;
        if ((header & JsonParser.CONTAINER_KIND) == JsonParser.SCALAR) {
            return datum(word(entries), entries + WORD, depth);
        }
        if ((!object && (header & JsonParser.CONTAINER_KIND) != JsonParser.ARRAY) || count > (to - entries) / WORD) {
            throw corrupt("has no valid header");
        }
        int data = entries + WORD * count * (object ? 2 : 1);
        int nameBytes = object ? end(entries, count, 0) : 0;
        int name = data;
        int nameEnd = 0;
        int value = data + nameBytes;
        int valueEnd = nameBytes;
        text.append(object ? '{' : '[');
        for (int i = 0; i < count; i++) {
            text.append(i == 0 ? "" : ", ");
            if (object) {
                int length = length(word(entries + WORD * i), nameEnd);
                string(name, length);
                name += length;
                nameEnd += length;
                text.append(": ");
            }
            int entry = word(entries + WORD * (object ? count + i : i));
            int length = length(entry, valueEnd);
            value = datum((entry & JsonParser.ENTRY_KIND) | length, value, depth);
            valueEnd += length;
        }
        text.append(object ? '}' : ']');
        return value;
    }

    /** The end of the data of some entries. */
    private int end(int entries, int count, int before) {
        int end = before;
        for (int i = 0; i < count; i++) {
            end += length(word(entries + WORD * i), end);
        }
        return end;
    }

    private int length(int entry, int before) {
        int length = entry & JsonParser.ENTRY_LENGTH;
        length -= (entry & JsonParser.IS_END) != 0 ? before : 0;
        if (length < 0) {
            throw corrupt("has an entry of negative length");
        }
        return length;
    }

    /** Formats a datum; returns the position after it. */
    private int datum(int entry, int at, int depth) {
        int length = entry & JsonParser.ENTRY_LENGTH;
        switch (entry & JsonParser.ENTRY_KIND) {
            case JsonParser.NULL -> text.append("null");
            case JsonParser.TRUE -> text.append("true");
            case JsonParser.FALSE -> text.append("false");
            case JsonParser.STRING -> string(at, length);
            case JsonParser.NUMBER -> {
                ElementCodec.readDecimal(bytes, at, at + length, number, 0);
                text.append(Objects.requireNonNull(DatumFormatter.format(number, 0, DECIMAL)));
            }
            case JsonParser.CONTAINER -> container(at, depth + 1);
            default -> throw corrupt("has an entry of an unknown kind");
        }
        return at + length;
    }

    private void string(int at, int length) {
        String string = new String(bytes, at, length, StandardCharsets.UTF_8);
        text.append('"');
        for (int i = 0; i < string.length(); i++) {
            char c = string.charAt(i);
            int known = c < ' ' ? SHORT_ESCAPES.indexOf(c) : -1;
            if (known >= 0) {
                text.append('\\').append(SHORT_ESCAPES.charAt(known + 1));
            } else if (c < ' ') {
                text.append(String.format("\\u%04x", (int) c));
            } else {
                text.append(c == '"' || c == '\\' ? "\\" : "").append(c);
            }
        }
        text.append('"');
    }

    private int word(int at) {
        return (bytes[at] << 24)
                | ((bytes[at + 1] & 0xff) << 16)
                | ((bytes[at + 2] & 0xff) << 8)
                | (bytes[at + 3] & 0xff);
    }
}
