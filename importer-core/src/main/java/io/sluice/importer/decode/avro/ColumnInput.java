package io.sluice.importer.decode.avro;

import io.sluice.importer.source.ColumnBlocks;
import io.sluice.model.row.Row;
import io.sluice.model.text.DatumProblem;
import java.io.IOException;
import java.util.Arrays;
import java.util.Objects;
import org.apache.avro.Schema;
import org.apache.avro.io.Encoder;
import org.jspecify.annotations.Nullable;

/** A position in one field of a block that has its values by column ({@link ColumnBlocks}). */
final class ColumnInput extends AvroInput {
    private int width;
    /** Whether a union's branch is known without reading it: the field is not NULL in this block. */
    private boolean allThere;
    /** Position of the present row's byte that says whether there is a value. */
    private int thereAt;

    private int firstValue;
    /** The dictionary of this block, or of an earlier one. */
    private @Nullable Dictionary dictionary;

    /** Whether rows have numbers of values in the dictionary. */
    private boolean byNumber;

    private int markedAt;
    private int markedThereAt;

    /**
     * Points at the field whose head is at a position.
     *
     * @return the position after the field
     * @throws MalformedDatum when the field does not fit into the block
     */
    int open(byte[] block, int from, int to, int rows) throws MalformedDatum {
        int first = from + ColumnBlocks.HEAD_BYTES;
        int length = first > to ? -1 : ColumnBlocks.intAt(block, from + 1 + Integer.BYTES);
        if (length < 0 || length > to - first) {
            throw new MalformedDatum("a column is cut off");
        }
        byte nulls = block[from];
        width = ColumnBlocks.intAt(block, from + 1);
        allThere = nulls != ColumnBlocks.SOME;
        byNumber = width == ColumnBlocks.DICTIONARY;
        thereAt = byNumber ? openDictionary(block, first, first + length) : first;
        firstValue = allThere ? thereAt : thereAt + rows;
        if (firstValue > first + length || width < ColumnBlocks.DICTIONARY) {
            throw new MalformedDatum("a column is malformed");
        }
        reset(block, firstValue, first + length);
        return first + length;
    }

    /** Points at values that are all there. */
    private void openValues(byte[] values, int length, int valueWidth) {
        width = valueWidth;
        allThere = true;
        reset(values, 0, length);
    }

    /** Takes the dictionary in front of the numbers; returns the position after it. */
    private int openDictionary(byte[] block, int from, int to) throws MalformedDatum {
        int first = from + 2 * Integer.BYTES;
        int length = first > to ? -1 : ColumnBlocks.intAt(block, from + Integer.BYTES);
        if (length < 0 || length > to - first) {
            throw new MalformedDatum("a dictionary is cut off");
        }
        if (dictionary == null) {
            dictionary = new Dictionary();
        }
        dictionary.open(block, first, first + length, ColumnBlocks.intAt(block, from));
        return first + length;
    }

    /** Whether rows have numbers of values in a dictionary, and {@link #copyAll} fills them. */
    boolean byNumber() {
        return byNumber;
    }

    /** Moves to the next row; returns the input that has its value: this one, or the dictionary's at the value. */
    ColumnInput ofRow() throws MalformedDatum {
        Dictionary known = dictionary;
        if (!byNumber || known == null || isNull()) {
            return this;
        }
        thereAt += allThere ? 0 : 1;
        return known.at(number());
    }

    private boolean isNull() {
        return !allThere && thereAt < firstValue && buffer[thereAt] == 0;
    }

    private int number() throws MalformedDatum {
        require(1);
        return buffer[at++] & 0xff;
    }

    /**
     * Fills a column of the next rows with values of the dictionary, each of which was read once.
     *
     * @param reader reads values of this field
     * @param column the column that the field fills; -1 if none
     */
    void copyAll(FieldReader reader, int column, Row[] rows, int count) throws MalformedDatum {
        Dictionary known = Objects.requireNonNull(dictionary);
        Row values = known.values(reader, column);
        refuse(column, known.problem());
        if (allThere && column >= 0) {
            require(count);
            known.copyAll(buffer, at, column, rows, count);
            at += count;
            return;
        }
        for (int i = 0; i < count; i++) {
            ColumnInput one = ofRow();
            if (one == this || column < 0) {
                reader.read(one, rows[i]);
            } else {
                rows[i].copySlot(column, values, buffer[at - 1] & 0xff);
            }
        }
    }

    /** A dictionary and its values as slots of a row. They stay while blocks have the same one. */
    private static final class Dictionary {
        private final ColumnInput in = new ColumnInput();
        private final int[] starts = new int[ColumnBlocks.MOST_DICTIONARY_VALUES];
        private byte[] bytes = {};
        private int width;
        private int size;
        /** The values, if they were read. */
        private @Nullable Row values;

        private @Nullable DatumProblem problem;

        /**
         * Takes the dictionary of a block, from which it copies the bytes.
         *
         * @throws MalformedDatum when it has more than 256 values, or the last one is cut off
         */
        void open(byte[] block, int from, int to, int valueWidth) throws MalformedDatum {
            if (width == valueWidth && Arrays.equals(bytes, 0, bytes.length, block, from, to)) {
                return;
            }
            bytes = Arrays.copyOfRange(block, from, to);
            width = valueWidth;
            size = 0;
            values = null;
            for (int at = 0; at < bytes.length; size++) {
                int left = bytes.length - at;
                int value = width;
                if (width == ColumnBlocks.LENGTHS) {
                    value = left < Integer.BYTES ? -1 : ColumnBlocks.intAt(bytes, at);
                    at += Integer.BYTES;
                    left -= Integer.BYTES;
                }
                if (value < 0 || value > left || size == starts.length || width < 0) {
                    width = ColumnBlocks.AVRO;
                    throw new MalformedDatum("a dictionary is malformed");
                }
                starts[size] = width == ColumnBlocks.LENGTHS ? at - Integer.BYTES : at;
                at += value;
            }
        }

        int checked(int number) throws MalformedDatum {
            if (number >= size) {
                throw new MalformedDatum("a value has the number " + number + " of " + size);
            }
            return number;
        }

        /** The dictionary as an input, at the start of one of its values. */
        ColumnInput at(int number) throws MalformedDatum {
            in.openValues(bytes, bytes.length, width);
            in.seek(starts[checked(number)]);
            return in;
        }

        /** Copies a value into each of the next rows, by their numbers. */
        void copyAll(byte[] numbers, int from, int column, Row[] rows, int count) throws MalformedDatum {
            Row all = Objects.requireNonNull(values);
            for (int i = 0; i < count; i++) {
                rows[i].copySlot(column, all, checked(numbers[from + i] & 0xff));
            }
        }

        /** All values as slots of a row. */
        Row values(FieldReader reader, int column) throws MalformedDatum {
            if (values == null) {
                Row one = new Row(column + 1);
                Row all = new Row(size);
                problem = null;
                for (int i = 0; column >= 0 && i < size; i++) {
                    reader.read(at(i), one);
                    problem = problem == null ? in.problem() : problem;
                    all.copySlot(i, one, column);
                }
                values = all;
            }
            return values;
        }

        /** Why a column cannot hold a value of the dictionary; null if it can hold all. */
        @Nullable
        DatumProblem problem() {
            return problem;
        }
    }

    /** Remembers the present position for {@link #rewind}. */
    void mark() {
        seek(at);
        markedAt = at;
        markedThereAt = thereAt;
    }

    /** Goes back to the marked position, without problems. */
    void rewind() {
        thereAt = markedThereAt;
        seek(markedAt);
    }

    @Override
    boolean hasValues() {
        return allThere && width >= 0;
    }

    @Override
    long readLong() throws MalformedDatum {
        if (width == Long.BYTES) {
            require(Long.BYTES);
            long value = ColumnBlocks.longAt(buffer, at);
            at += Long.BYTES;
            return value;
        }
        if (width == ColumnBlocks.AVRO) {
            return super.readLong();
        }
        require(Integer.BYTES);
        int value = ColumnBlocks.intAt(buffer, at);
        at += Integer.BYTES;
        return value;
    }

    @Override
    int readLength() throws MalformedDatum {
        if (width == ColumnBlocks.AVRO) {
            return super.readLength();
        }
        int length = width;
        if (width == ColumnBlocks.LENGTHS) {
            length = (int) readLong();
        }
        if (length < 0) {
            throw new MalformedDatum("a length is negative");
        }
        require(length);
        return length;
    }

    @Override
    int readIndex(int bound, String what) throws MalformedDatum {
        if (width == ColumnBlocks.AVRO) {
            return super.readIndex(bound, what);
        }
        int index = allThere ? 1 : thereAt < firstValue ? buffer[thereAt++] : -1;
        if (index < 0 || index >= bound) {
            throw new MalformedDatum("a column says that a value is neither NULL nor there");
        }
        return index;
    }

    /** Writes the value from a position to the present one as Avro does. */
    void copy(int start, Schema schema, Encoder to) throws IOException {
        if (width == ColumnBlocks.AVRO) {
            to.writeFixed(buffer, start, at - start);
            return;
        }
        boolean union = schema.getType() == Schema.Type.UNION;
        boolean there = at > start;
        if (union) {
            to.writeIndex(there ? 1 : 0);
        }
        if (there) {
            copyValue(start, union ? schema.getTypes().get(1) : schema, to);
        }
    }

    private void copyValue(int start, Schema schema, Encoder to) throws IOException {
        switch (schema.getType()) {
            case INT, LONG ->
                to.writeLong(
                        width == Long.BYTES ? ColumnBlocks.longAt(buffer, start) : ColumnBlocks.intAt(buffer, start));
            case STRING, BYTES -> {
                int from = width == ColumnBlocks.LENGTHS ? start + Integer.BYTES : start;
                to.writeBytes(buffer, from, at - from);
            }
            default -> to.writeFixed(buffer, start, at - start);
        }
    }
}
