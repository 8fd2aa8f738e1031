package io.sluice.importer.decode;

import io.sluice.model.row.Row;
import io.sluice.model.text.DatumParser;
import io.sluice.model.text.DatumProblem;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Converts the texts of one column to the form that its {@link DatumParser} takes. Reuses its buffer; one per thread.
 */
public abstract class ValueConverter {
    private static final int FIRST_BYTES = 64;

    private byte[] text = new byte[FIRST_BYTES];
    private int length;

    /**
     * Converts a text.
     *
     * @param buffer buffer with the text, UTF-8
     * @param from start of the text, inclusive
     * @param to end of the text, exclusive
     * @return null when {@link #text} is set, else why it is not
     */
    public abstract @Nullable DatumProblem convert(byte[] buffer, int from, int to);

    /** The converted text, valid until the next one. */
    public byte[] text() {
        return text;
    }

    /** Number of bytes of the converted text. */
    public int length() {
        return length;
    }

    /** Begins a text of at most some bytes, and returns its buffer. */
    byte[] begin(int most) {
        length = 0;
        if (text.length < most) {
            text = Arrays.copyOf(text, most);
        }
        return text;
    }

    void end(int bytes) {
        length = bytes;
    }

    /** A parser that converts first. */
    DatumParser before(DatumParser parser) {
        return (byte[] buffer, int from, int to, Row row, int column) -> {
            DatumProblem problem = convert(buffer, from, to);
            return problem == null ? parser.parse(text, 0, length, row, column) : problem;
        };
    }
}
