package io.sluice.node.store;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Puts and deletes in the meta column family that happen together or not at all. Not safe for several threads. */
public final class WriteSet {
    /** One put, or a delete when there is no value. */
    @SuppressWarnings("ArrayRecordComponent")
    record Change(byte[] key, byte @Nullable [] value) {}

    private final List<Change> changes = new ArrayList<>();

    public WriteSet put(byte[] key, byte[] value) {
        changes.add(new Change(key, value));
        return this;
    }

    public WriteSet delete(byte[] key) {
        changes.add(new Change(key, null));
        return this;
    }

    List<Change> changes() {
        return changes;
    }
}
