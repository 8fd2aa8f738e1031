package io.sluice.importer.job;

import io.sluice.importer.decode.Reject;
import io.sluice.importer.decode.input.InputFormat;
import io.sluice.importer.source.InputFile;
import io.sluice.importer.source.Split;
import io.sluice.importer.source.SplitSource;
import io.sluice.model.error.BadInputException;
import io.sluice.model.schema.TableDef;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The first batch of an input: how many of its records are rows of the table. */
final class FirstRecords {
    /** Size of the batch: several hundred records, little work even for thousands of inputs. */
    private static final int BATCH_BYTES = 128 << 10;

    private static final int HEAD_BYTES = 512;

    /** A number between usual delimiters. */
    private static final Pattern NUMBER = Pattern.compile("(?<![^,;|\"\\s])[+-]?\\d+([.,]\\d*)?(?![^,;|\"\\s])");

    private final Split split = new Split(BATCH_BYTES);
    private long rows;
    private long rejects;
    private @Nullable Reject first;
    private @Nullable BadInputException misfit;

    private FirstRecords() {}

    /**
     * Reads the first batch.
     *
     * @throws BadInputException when the input cannot be read
     */
    static FirstRecords read(InputFile input, InputFormat format, TableDef table) {
        FirstRecords found = new FirstRecords();
        SplitSource.Settings reading = format.reading(BATCH_BYTES, ImportSettings.MAX_RECORD_BYTES);
        try (SplitSource source = new SplitSource(List.of(input), format.framing(), reading)) {
            if (source.next(found.split)) {
                found.decode(format, table);
            }
        }
        return found;
    }

    private void decode(InputFormat format, TableDef table) {
        try {
            format.decoder(table, ImportSettings.MAX_RECORD_BYTES)
                    .decode(split, (row, byteOffset) -> rows++, this::reject);
        } catch (BadInputException e) {
            misfit = e;
        }
    }

    private void reject(Reject reject) {
        rejects++;
        first = first == null ? reject : first;
    }

    long rows() {
        return rows;
    }

    long rejects() {
        return rejects;
    }

    /** The first reject, or null. */
    @Nullable
    Reject firstReject() {
        return first;
    }

    /** The first bytes of the text, at most {@value #HEAD_BYTES}. */
    byte[] head() {
        byte[] header = split.header();
        if (header != null) {
            return Arrays.copyOf(header, Math.min(HEAD_BYTES, header.length));
        }
        return Arrays.copyOfRange(split.buffer(), split.start(), Math.min(split.start() + HEAD_BYTES, split.end()));
    }

    /** Whether the first record is a reject without a number among its fields, as a header is. */
    boolean beginsWithoutNumbers() {
        return first != null
                && first.place().line() == 0
                && !NUMBER.matcher(first.excerpt()).find();
    }

    /** Why the file as a whole does not fit the table, such as its header; null if it does. */
    @Nullable
    BadInputException misfit() {
        return misfit;
    }

    /** Whether the text has zero bytes, which UTF-16 read as UTF-8 has. */
    boolean hasZeroBytes() {
        byte[] buffer = split.buffer();
        for (int i = split.start(); i < split.end(); i++) {
            if (buffer[i] == 0) {
                return true;
            }
        }
        return false;
    }
}
