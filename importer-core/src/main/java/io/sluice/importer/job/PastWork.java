package io.sluice.importer.job;

import io.sluice.api.kv.KvChecksum;
import io.sluice.api.node.IndexChecksum;
import io.sluice.api.schema.Table;
import io.sluice.importer.source.ReadSpan;
import io.sluice.importer.source.ReadSpans;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What earlier attempts at an import have done for good, by their {@link CheckpointRecord notes}.
 *
 * @param spans what was read of the inputs
 * @param sums what was handed over of it, per index in the table's order
 * @param repeated how many KVs were not, because the same ones had been, per index
 * @param rows good records
 * @param rejects bad ones
 * @param sample what the table was divided by, when the first of two passes was done; or null
 */
record PastWork(
        ReadSpans spans,
        List<IndexChecksum> sums,
        List<Long> repeated,
        long rows,
        long rejects,
        @Nullable String sample) {
    /** Of an import that was never tried before. */
    static PastWork none(Table table) {
        return of(table, Map.of());
    }

    /** What notes say. */
    static PastWork of(Table table, Map<String, byte[]> notes) {
        Map<Integer, List<ReadSpan>> spans = new TreeMap<>();
        List<IndexChecksum> sums = new ArrayList<>();
        List<Long> repeated = new ArrayList<>();
        table.indexes().forEach(index -> {
            sums.add(new IndexChecksum(index.def().name(), KvChecksum.EMPTY));
            repeated.add(0L);
        });
        long rows = 0;
        long rejects = 0;
        for (Map.Entry<String, byte[]> each : notes.entrySet()) {
            if (CheckpointRecord.isKey(each.getKey())) {
                CheckpointRecord note = CheckpointRecord.read(each.getKey(), each.getValue());
                note.addSpans(spans);
                rows += note.rows();
                rejects += note.rejects();
                for (int i = 0; i < sums.size(); i++) {
                    sums.set(i, sums.get(i).plus(note.sums().get(i).toSum().sum()));
                    repeated.set(i, repeated.get(i) + note.repeated().get(i));
                }
            }
        }
        byte[] sample = notes.get(SamplePass.NOTE);
        return new PastWork(
                new ReadSpans(spans),
                sums,
                repeated,
                rows,
                rejects,
                sample == null ? null : new String(sample, StandardCharsets.UTF_8));
    }

    /** The same, and what was read besides of it and is on its way again; the sums are as they were. */
    PastWork having(Map<Integer, List<ReadSpan>> more, long moreRows) {
        Map<Integer, List<ReadSpan>> all = new TreeMap<>();
        spans.byInput().forEach((input, some) -> all.put(input, new ArrayList<>(some)));
        more.forEach((input, some) ->
                all.computeIfAbsent(input, none -> new ArrayList<>()).addAll(some));
        return new PastWork(new ReadSpans(all), sums, repeated, rows + moreRows, rejects, sample);
    }

    /** Whether something was done. */
    boolean any() {
        return !spans.byInput().isEmpty();
    }

    /** These sums and those of what was done now. */
    List<IndexChecksum> and(List<IndexChecksum> now) {
        return IndexChecksum.addEach(sums, now);
    }
}
