package io.sluice.node.transaction;

import io.sluice.api.kv.KeySpan;
import io.sluice.api.sql.SqlErrorCode;
import io.sluice.api.sql.StatementException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What the statements of one transaction have written, which keys they read to decide whether they may, and the memory
 * that takes. Usable by several threads, as long as no two of them write, or read and write, the same key.
 */
public final class ReadWriteSet {
    private final long mostBytes;
    private final Overlay overlay = new Overlay();
    private final List<KeySpan> checked = new ArrayList<>();
    private final AtomicLong checkedBytes = new AtomicLong();
    private final AtomicLong heldBytes = new AtomicLong();

    ReadWriteSet(long mostBytes) {
        this.mostBytes = mostBytes;
    }

    /** What was written. */
    public Overlay overlay() {
        return overlay;
    }

    void check(KeySpan span) {
        synchronized (checked) {
            checked.add(span);
        }
        checkedBytes.addAndGet(SpanSet.bytes(span));
        ensureRoom();
    }

    /** Counts memory that is needed until the transaction ends. */
    public void remember(long bytes) {
        checkedBytes.addAndGet(bytes);
        ensureRoom();
    }

    SpanSet checked() {
        synchronized (checked) {
            return SpanSet.of(checked);
        }
    }

    /** Counts memory that a statement needs until it gives it back. */
    void hold(long bytes) {
        heldBytes.addAndGet(bytes);
        ensureRoom();
    }

    void giveBack(long bytes) {
        heldBytes.addAndGet(-bytes);
    }

    /** Whether half of the memory is used: time to come to an end. */
    boolean halfFull() {
        return bytes() > mostBytes / 2;
    }

    private long bytes() {
        return overlay.bytes() + checkedBytes.get() + heldBytes.get();
    }

    void ensureRoom() {
        if (bytes() > mostBytes) {
            throw new StatementException(
                    SqlErrorCode.TOO_LARGE,
                    "the transaction needs more than the " + mostBytes
                            + " bytes it may have; change fewer rows at a time, and commit in between");
        }
    }
}
