package io.sluice.importer.source;

import io.sluice.model.error.BadInputException;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** The spans of one input that earlier runs have read and that are still to be skipped, ascending. For one thread. */
final class DoneSpans {
    private final InputFile file;
    private final Deque<ReadSpan> spans;

    /** @param spans owned by this object */
    DoneSpans(InputFile file, Deque<ReadSpan> spans) {
        this.file = file;
        this.spans = spans;
    }

    /** The span of a whole part, which need not be read; null if some of the part is to be read. */
    @Nullable
    ReadSpan whole(InputPart part) {
        if (part.several()) {
            spans.removeIf(span -> !part.has(span));
        }
        ReadSpan first = spans.peekFirst();
        boolean whole = first != null && (part.several() ? first.whole() : first.wholeInput());
        return whole ? first : null;
    }

    /** Removes the span that starts at or before an offset; null if there is none. */
    @Nullable
    ReadSpan startedAt(long offset) {
        ReadSpan first = spans.peekFirst();
        return first == null || first.start() > offset ? null : spans.removeFirst();
    }

    /** Offset of the next span, or {@link Long#MAX_VALUE}. */
    long nextStart() {
        ReadSpan next = spans.peekFirst();
        return next == null ? Long.MAX_VALUE : next.start();
    }

    /**
     * Checks, at the end of one part of several, that all spans were skipped. Others come from another way to read the
     * file, and its positions.
     */
    void requireNone() {
        spans.removeIf(span -> span.start() == span.end());
        if (!spans.isEmpty()) {
            throw changed(spans.getFirst());
        }
    }

    /** The refusal of an input that no longer has a span. */
    BadInputException changed(ReadSpan span) {
        return new BadInputException(file.name() + ": changed since the import began: the part that was"
                + " imported already ended at byte " + span.end()
                + " of its text. Start the import again under another --job-id");
    }
}
