package io.sluice.importer.conflict;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The rows of an input that are to be left out, by their places. Immutable, usable by many threads. */
public final class DroppedRows {
    /** All rows are taken. */
    public static final DroppedRows NONE = new DroppedRows(List.of());

    private final Map<Integer, RequestLimits> byFile = new HashMap<>();
    private final long count;

    /** Rows of one file: their offsets, ascending, and why each is left out. */
    @SuppressWarnings("ArrayRecordComponent")
    private record RequestLimits(long[] offsets, List<Resolution.Drop> drops) {}

    /** Rows to leave out, in the order of the input. */
    public DroppedRows(List<Resolution.Drop> drops) {
        count = drops.size();
        Map<Integer, List<Resolution.Drop>> files = new HashMap<>();
        drops.forEach(drop -> files.computeIfAbsent(drop.loser().place().file(), file -> new ArrayList<>())
                .add(drop));
        files.forEach((file, rows) -> byFile.put(
                file,
                new RequestLimits(
                        rows.stream()
                                .mapToLong(drop -> drop.loser().place().byteOffset())
                                .toArray(),
                        rows)));
    }

    /** Whether there is none. */
    public boolean isEmpty() {
        return count == 0;
    }

    /** How many there are. */
    public long count() {
        return count;
    }

    /** Why the row at a place is left out; null: it is not. */
    public Resolution.@Nullable Drop at(int file, long byteOffset) {
        RequestLimits places = byFile.get(file);
        int found = places == null ? -1 : Arrays.binarySearch(places.offsets, byteOffset);
        return places == null || found < 0 ? null : places.drops.get(found);
    }
}
