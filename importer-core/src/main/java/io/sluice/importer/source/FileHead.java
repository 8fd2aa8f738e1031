package io.sluice.importer.source;

import io.sluice.importer.source.SplitSource.Settings;
import io.sluice.model.error.BadInputException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The records of an input that are no rows: those to skip, and the header after them. Takes them off the starts of
 * splits. For one thread at a time.
 */
final class FileHead {
    private final Settings settings;
    private Framing framing;
    private long recordsToSkip;
    private boolean headerWanted;
    private byte @Nullable [] header;

    FileHead(Framing framing, Settings settings) {
        this.framing = framing;
        this.settings = settings;
        recordsToSkip = settings.skipRecords();
        headerWanted = settings.header();
    }

    /** The framing of the format until the header was read, then that of {@link Framing#afterHeader}. */
    Framing framing() {
        return framing;
    }

    /** The header, or null if there is none or it was not read yet. */
    byte @Nullable [] header() {
        return header;
    }

    /** Moves the split's start past records to skip and the header, and counts the line ends skipped. */
    void pass(Split split) {
        while (recordsToSkip > 0 && split.start < split.end) {
            split.start = recordEnd(split);
            recordsToSkip--;
        }
        while (headerWanted && recordsToSkip == 0 && split.start < split.end && !atRecord(split)) {
            split.start = recordEnd(split);
        }
        if (headerWanted && recordsToSkip == 0 && split.start < split.end) {
            int end = recordEnd(split);
            header = Arrays.copyOfRange(split.buffer, split.start, end);
            headerWanted = false;
            framing = framing.afterHeader(header, split.file().name());
            split.start = end;
        }
        if (framing.isText()) {
            split.linesSkipped += SplitSource.lineEnds(split.buffer, 0, split.start);
        }
    }

    /** Passes over an oversized line that is no record to hand out: a comment, or a record to skip. */
    void passOversized(Split split) {
        if (framing.marker() != null) {
            return;
        }
        boolean skipped = recordsToSkip > 0;
        if (skipped) {
            recordsToSkip--;
        } else if (headerWanted && atRecord(split)) {
            throw new BadInputException(split.file().name() + ": the header is longer than "
                    + settings.maxRecordBytes() + " bytes, the limit for one record: check --quote and --charset, or"
                    + " leave out --header");
        }
        if (skipped || !atRecord(split)) {
            split.oversized = false;
            split.linesSkipped += SplitSource.lineEnds(split.buffer, 0, split.end);
            split.start = split.end;
        }
    }

    /** Lets the framing check a file that ended without a header. */
    void requireHeader(Split split) {
        if (headerWanted && !split.oversized) {
            framing.afterHeader(new byte[0], split.file().name());
        }
    }

    private boolean atRecord(Split split) {
        return framing.isRecord(split.buffer, split.start, split.end);
    }

    private int recordEnd(Split split) {
        return framing.firstRecordEnd(split.buffer, split.start, split.end, true);
    }
}
