package io.sluice.sql.transaction;

import io.sluice.grammar.SqlErrorCode;
import io.sluice.grammar.StatementException;
import io.sluice.model.kv.KeySpan;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Read set and write set of one transaction, with their memory limit. The read set has the keys on which its changes
 * depend. Thread-safe, as long as no two threads write, or read and write, the same key.
 */
public final class ReadWriteSet {
    private final long maxBytes;
    private final Overlay overlay = new Overlay();
    private final List<KeySpan> checked = new ArrayList<>();
    private final AtomicLong checkedBytes = new AtomicLong();
    private final AtomicLong reservedBytes = new AtomicLong();

    ReadWriteSet(long maxBytes) {
        this.maxBytes = maxBytes;
    }

    /** The uncommitted writes. */
    public Overlay overlay() {
        return overlay;
    }

    void check(KeySpan span) {
        synchronized (checked) {
            checked.add(span);
        }
        checkedBytes.addAndGet(SpanSet.bytes(span));
        ensureWithinLimit();
    }

    /** Reserves memory until the transaction ends. */
    public void remember(long bytes) {
        checkedBytes.addAndGet(bytes);
        ensureWithinLimit();
    }

    SpanSet checked() {
        synchronized (checked) {
            return SpanSet.of(checked);
        }
    }

    /** Reserves memory until the statement calls {@link #release}. */
    void reserve(long bytes) {
        reservedBytes.addAndGet(bytes);
        ensureWithinLimit();
    }

    void release(long bytes) {
        reservedBytes.addAndGet(-bytes);
    }

    /** Whether half of the memory limit is used, so that the caller should finish soon. */
    boolean halfFull() {
        return bytes() > maxBytes / 2;
    }

    private long bytes() {
        return overlay.bytes() + checkedBytes.get() + reservedBytes.get();
    }

    void ensureWithinLimit() {
        if (bytes() > maxBytes) {
            throw new StatementException(
                    SqlErrorCode.TOO_LARGE,
                    "the transaction needs more than the " + maxBytes
                            + " bytes it may have; change fewer rows at a time, and commit in between");
        }
    }
}
