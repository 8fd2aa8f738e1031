package io.sluice.model.text;

import io.sluice.model.kv.ElementCodec;
import io.sluice.model.row.Row;
import io.sluice.model.schema.ColumnType;
import io.sluice.model.schema.TypeKind;
import java.util.Arrays;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * Parses a JSON document into the binary form of CockroachDB's JSONB. Members are sorted by the bytes of their names,
 * and of several with one name the last counts. Numbers keep all digits and their scale.
 *
 * <p>A container is a header of four bytes with its kind and the number of its entries; an entry of four bytes for each
 * element, or for each name and then for each value; and their data in the same order. An entry has the kind and the
 * length of its datum, or, in every 32nd one, the end of its datum. A scalar document is a container of one entry.
 *
 * <p>Unlike the other parsers, it allocates its memory anew for every document.
 */
final class JsonParser implements DatumParser {
    static final int ARRAY = 0x8000_0000;
    static final int OBJECT = 0x4000_0000;
    static final int SCALAR = 0x2000_0000;
    static final int CONTAINER_KIND = 0xe000_0000;

    static final int NULL = 0x0000_0000;
    static final int STRING = 0x1000_0000;
    static final int NUMBER = 0x2000_0000;
    static final int FALSE = 0x3000_0000;
    static final int TRUE = 0x4000_0000;
    static final int CONTAINER = 0x5000_0000;
    static final int ENTRY_KIND = 0x7000_0000;
    /** Bits of an entry for a length or an end: documents have less than 256 MiB. */
    static final int ENTRY_LENGTH = 0x0fff_ffff;
    /** Says that an entry has the end of its datum. */
    static final int IS_END = 0x8000_0000;

    static final int STRIDE = 32;
    private static final int WORD = Integer.BYTES;

    private static final ElementCodec NUMBERS = ElementCodec.of(TypeKind.DECIMAL);

    private final DecimalParser numbers = new DecimalParser(ColumnType.of(TypeKind.DECIMAL));

    @Override
    public @Nullable DatumProblem parse(byte[] buffer, int from, int to, Row row, int column) {
        int codePoints = Utf8.codePoints(buffer, from, to);
        if (codePoints < 0) {
            return new DatumProblem(
                    DatumProblem.Code.BAD_UTF8,
                    "JSON must be UTF-8: byte " + -codePoints + " of the value begins no valid character");
        }
        Writer writer = new Writer(row, column, to - from);
        try {
            writer.document(buffer, from, to);
        } catch (MalformedJson e) {
            row.setNull(column);
            return writer.problem != null
                    ? writer.problem
                    : new DatumProblem(
                            DatumProblem.Code.SYNTAX,
                            "must be a JSON document: " + e.getMessage() + " (byte " + (e.position() - from + 1) + ")");
        }
        row.setBytes(column, writer.out, 0, writer.length);
        return null;
    }

    /** Writes one document. It uses the slot of the document for its numbers. */
    private final class Writer {
        private final JsonScanner in = new JsonScanner();
        private final Row row;
        private final int column;
        private byte[] out;
        private int length;
        /** Entries of the containers that are being read, the innermost last. */
        private int[] entries = new int[16];

        private int entryCount;
        private @Nullable DatumProblem problem;

        Writer(Row row, int column, int textBytes) {
            this.row = row;
            this.column = column;
            out = new byte[textBytes + textBytes / 2 + 32];
        }

        void document(byte[] buffer, int from, int to) throws MalformedJson {
            in.reset(buffer, from, to);
            int first = in.next();
            boolean scalar = first != '{' && first != '[';
            length = scalar ? 2 * WORD : 0;
            int entry = value(0);
            if (in.next() >= 0) {
                throw in.unexpected("the end of the document");
            }
            if (scalar) {
                putWord(SCALAR, 0);
                putWord(entry, WORD);
            }
        }

        /** Writes a value at the end; returns its entry. */
        private int value(int depth) throws MalformedJson {
            int start = length;
            switch (in.next()) {
                case '{' -> {
                    return object(depth);
                }
                case '[' -> {
                    return array(depth);
                }
                case '"' -> {
                    string();
                    return STRING | (length - start);
                }
                case 't' -> {
                    in.scalar();
                    return TRUE;
                }
                case 'f' -> {
                    in.scalar();
                    return FALSE;
                }
                case 'n' -> {
                    in.scalar();
                    return NULL;
                }
                default -> {
                    number();
                    return NUMBER | (length - start);
                }
            }
        }

        private void string() throws MalformedJson {
            int from = in.pos + 1;
            int to = in.string();
            reserve(to - from);
            if (in.escaped) {
                length = in.unescape(from, to, out, length);
            } else {
                System.arraycopy(in.buffer, from, out, length, to - from);
                length += to - from;
            }
        }

        private void number() throws MalformedJson {
            int from = in.pos;
            in.scalar();
            problem = numbers.parse(in.buffer, from, in.pos, row, column);
            if (problem != null) {
                throw new MalformedJson("a number is out of range", from);
            }
            reserve(NUMBERS.maxBytes(row, column));
            length = NUMBERS.put(row, column, out, length);
        }

        private int array(int depth) throws MalformedJson {
            in.enter(depth);
            in.pos++;
            int start = length;
            int firstEntry = entryCount;
            if (in.next() == ']') {
                in.pos++;
            } else {
                do {
                    push(value(depth + 1));
                } while (in.more(']'));
            }
            int count = entryCount - firstEntry;
            int head = WORD + WORD * count;
            reserve(head);
            System.arraycopy(out, start, out, start + head, length - start);
            length += head;
            putWord(ARRAY | count, start);
            int end = 0;
            for (int i = 0; i < count; i++) {
                int entry = entries[firstEntry + i];
                end += entry & ENTRY_LENGTH;
                putWord(i % STRIDE == 0 ? IS_END | (entry & ENTRY_KIND) | end : entry, start + WORD + WORD * i);
            }
            entryCount = firstEntry;
            return container(start);
        }

        /** Pushes three words for each member: where its name begins, where its value begins, and the value's entry. */
        private int object(int depth) throws MalformedJson {
            in.enter(depth);
            in.pos++;
            int start = length;
            int first = entryCount;
            if (in.next() == '}') {
                in.pos++;
            } else {
                do {
                    if (in.next() != '"') {
                        throw in.unexpected("a member's name");
                    }
                    push(length);
                    string();
                    push(length);
                    in.expect(':');
                    push(value(depth + 1));
                } while (in.more('}'));
            }
            int[] members = sorted(first);
            entryCount = first;
            return assembled(start, members);
        }

        /** Positions of the members' words in the order of their names, each name once. */
        private int[] sorted(int first) {
            Integer[] order = new Integer[(entryCount - first) / 3];
            for (int i = 0; i < order.length; i++) {
                order[i] = first + 3 * i;
            }
            Comparator<Integer> byName =
                    (a, b) -> Arrays.compareUnsigned(out, entries[a], entries[a + 1], out, entries[b], entries[b + 1]);
            Arrays.sort(order, byName);
            int[] members = new int[order.length];
            int count = 0;
            for (int i = 0; i < order.length; i++) {
                // The sort is stable, so the last of several members with one name comes last.
                if (i + 1 == order.length || byName.compare(order[i], order[i + 1]) != 0) {
                    members[count++] = order[i];
                }
            }
            return Arrays.copyOf(members, count);
        }

        /** Replaces names and values from a position on by the object of these members. */
        private int assembled(int start, int[] members) {
            int count = members.length;
            int dataBytes = 0;
            for (int member : members) {
                dataBytes += entries[member + 1] - entries[member] + (entries[member + 2] & ENTRY_LENGTH);
            }
            int objectBytes = WORD + 2 * WORD * count + dataBytes;
            reserve(objectBytes);
            int object = length;
            putWord(OBJECT | count, object);
            int at = object + WORD + 2 * WORD * count;
            int end = 0;
            for (int i = 0; i < count; i++) {
                int name = entries[members[i]];
                int bytes = entries[members[i] + 1] - name;
                System.arraycopy(out, name, out, at, bytes);
                at += bytes;
                end += bytes;
                putWord(i % STRIDE == 0 ? IS_END | STRING | end : STRING | bytes, object + WORD + WORD * i);
            }
            for (int i = 0; i < count; i++) {
                int entry = entries[members[i] + 2];
                int bytes = entry & ENTRY_LENGTH;
                System.arraycopy(out, entries[members[i] + 1], out, at, bytes);
                at += bytes;
                end += bytes;
                putWord(
                        i % STRIDE == 0 ? IS_END | (entry & ENTRY_KIND) | end : entry,
                        object + WORD + WORD * (count + i));
            }
            System.arraycopy(out, object, out, start, objectBytes);
            length = start + objectBytes;
            return container(start);
        }

        private int container(int start) {
            return CONTAINER | (length - start);
        }

        private void push(int entry) {
            if (entryCount == entries.length) {
                entries = Arrays.copyOf(entries, 2 * entryCount);
            }
            entries[entryCount++] = entry;
        }

        private void reserve(int bytes) {
            if (out.length - length < bytes) {
                out = Arrays.copyOf(out, Math.max(length + bytes, 2 * out.length));
            }
        }

        private void putWord(int word, int at) {
            out[at] = (byte) (word >> 24);
            out[at + 1] = (byte) (word >> 16);
            out[at + 2] = (byte) (word >> 8);
            out[at + 3] = (byte) word;
        }
    }
}
