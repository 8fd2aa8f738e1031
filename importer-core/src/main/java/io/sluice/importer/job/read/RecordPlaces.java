package io.sluice.importer.job.read;

import io.sluice.importer.decode.Reject;
import io.sluice.importer.decode.input.InputFormat;
import io.sluice.importer.source.Framing;
import io.sluice.importer.source.Split;
import io.sluice.importer.source.SplitSource;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Finds the position and the bytes of a decoded row's record, which decoders do not report for good rows. For one
 * worker; call it for rows in the order of decoding.
 */
public final class RecordPlaces {
    private static final byte[] NO_RECORD = {};

    private final InputFormat format;
    private final Framing framing;
    private @Nullable Split split;
    private int countedTo;
    private long lines;

    public RecordPlaces(InputFormat format) {
        this.format = format;
        framing = format.framing();
    }

    /** Starts the next split. */
    public void begin(Split next) {
        split = next;
        countedTo = next.start();
        lines = next.linesSkipped();
    }

    private Split current() {
        if (split == null) {
            throw new IllegalStateException("no split was begun");
        }
        return split;
    }

    /** A reject with only the row's position, since the reject log puts rejects into input order. */
    public Reject place(long byteOffset) {
        return new Reject(at(byteOffset), 0, Reject.Problem.ofRecord(Reject.Code.CONFLICT, ""), NO_RECORD, true, null);
    }

    /** A captured row with its whole record. It does not count as a reject, since the record is good. */
    Reject captured(long byteOffset, String message, Reject.Rival rival) {
        Reject.Problem problem = Reject.Problem.ofRecord(Reject.Code.CONFLICT, message);
        return new Reject(at(byteOffset), 0, problem, record(byteOffset), false, rival);
    }

    private Reject.Place at(long byteOffset) {
        Reject.Unit unit = framing.isText() ? Reject.Unit.LINE : Reject.Unit.ROW;
        return new Reject.Place(unit, line(byteOffset), byteOffset);
    }

    /** The line as {@link Reject.Place#line} defines it; -1 if there is none. */
    private long line(long byteOffset) {
        Split in = current();
        if (framing.isText()) {
            int at = position(in, byteOffset);
            lines += SplitSource.lineEnds(in.buffer(), countedTo, at);
            countedTo = at;
            return lines;
        }
        boolean numbered =
                format instanceof InputFormat.Avro avro && avro.encoding() == InputFormat.Avro.Encoding.CONTAINER;
        return numbered ? byteOffset - in.firstRecord() : -1;
    }

    private byte[] record(long byteOffset) {
        Split in = current();
        byte[] buffer = in.buffer();
        int at = position(in, byteOffset);
        int end = framing.firstRecordEnd(buffer, at, in.end(), true);
        int to = end > at && buffer[end - 1] == '\n' ? end - 1 : end;
        to = to > at && buffer[to - 1] == '\r' ? to - 1 : to;
        return Arrays.copyOfRange(buffer, at, to);
    }

    private static int position(Split in, long byteOffset) {
        return (int) (byteOffset - in.fileOffset(0));
    }
}
