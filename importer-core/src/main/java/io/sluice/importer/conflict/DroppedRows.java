package io.sluice.importer.conflict;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The rows of the input that lose conflicts and are left out, by position. Immutable. */
public final class DroppedRows {
    /** No dropped rows. */
    public static final DroppedRows NONE = new DroppedRows(List.of());

    private final Map<Integer, FileDrops> byFile = new HashMap<>();
    private final long count;

    /** Dropped rows of one file: their offsets, ascending, and the reasons. */
    @SuppressWarnings("ArrayRecordComponent")
    private record FileDrops(long[] offsets, List<Resolution.Drop> drops) {}

    /** Creates the set from drops in the order of the input. */
    public DroppedRows(List<Resolution.Drop> drops) {
        count = drops.size();
        Map<Integer, List<Resolution.Drop>> files = new HashMap<>();
        drops.forEach(drop -> files.computeIfAbsent(drop.loser().place().file(), file -> new ArrayList<>())
                .add(drop));
        files.forEach((file, rows) -> byFile.put(
                file,
                new FileDrops(
                        rows.stream()
                                .mapToLong(drop -> drop.loser().place().byteOffset())
                                .toArray(),
                        rows)));
    }

    /** Whether no row is dropped. */
    public boolean isEmpty() {
        return count == 0;
    }

    /** Number of dropped rows. */
    public long count() {
        return count;
    }

    /** The reason why the row at a position is dropped; null if it is not. */
    public Resolution.@Nullable Drop at(int file, long byteOffset) {
        FileDrops places = byFile.get(file);
        int found = places == null ? -1 : Arrays.binarySearch(places.offsets, byteOffset);
        return places == null || found < 0 ? null : places.drops.get(found);
    }
}
