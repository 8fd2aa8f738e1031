package io.sluice.importer.decode.avro;

import io.sluice.importer.source.ColumnBlocks;
import java.io.IOException;
import org.apache.avro.Schema;
import org.apache.avro.io.Encoder;

/** A position in one field of a block that has its values by column ({@link ColumnBlocks}). */
final class ColumnInput extends AvroInput {
    private int width;
    /** Whether a union's branch is known without reading it: the field is not NULL in this block. */
    private boolean allThere;
    /** Position of the present row's byte that says whether there is a value. */
    private int thereAt;

    private int firstValue;
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
        thereAt = first;
        firstValue = allThere ? first : first + rows;
        if (firstValue > first + length || width < ColumnBlocks.AVRO) {
            throw new MalformedDatum("a column is malformed");
        }
        reset(block, firstValue, first + length);
        return first + length;
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
