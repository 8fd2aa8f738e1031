package io.sluice.importer.job.resume;

import io.sluice.api.node.IndexChecksum;
import io.sluice.importer.source.ReadSpan;
import io.sluice.importer.source.ReadSpans;
import io.sluice.model.kv.KvChecksum;
import io.sluice.model.schema.Table;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The durable work of earlier attempts at an import, read from their {@link CheckpointRecord checkpoint records}.
 *
 * @param spans the spans of the inputs that were read
 * @param sums checksums of the KVs that nodes took, per index in the table's order
 * @param repeated number of repeated KVs that were not handed over, per index
 * @param rows number of good records
 * @param rejects number of bad records
 * @param sample description of the sample if the first of two passes was done, or null
 */
public record PastWork(
        ReadSpans spans,
        List<IndexChecksum> sums,
        List<Long> repeated,
        long rows,
        long rejects,
        @Nullable String sample) {
    /** Key of the record that the first of two passes is done; its value describes the sample. */
    public static final String SAMPLED = "sampled";

    /** The past work of a new import: none. */
    static PastWork none(Table table) {
        return of(table, Map.of());
    }

    /** Reads the past work from checkpoint records. */
    public static PastWork of(Table table, Map<String, byte[]> notes) {
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
        byte[] sample = notes.get(SAMPLED);
        return new PastWork(
                new ReadSpans(spans),
                sums,
                repeated,
                rows,
                rejects,
                sample == null ? null : new String(sample, StandardCharsets.UTF_8));
    }

    /** Returns a copy with more spans, whose KVs are on their way again; the checksums stay as they are. */
    public PastWork withSpans(Map<Integer, List<ReadSpan>> more, long moreRows) {
        Map<Integer, List<ReadSpan>> all = new TreeMap<>();
        spans.byInput().forEach((input, some) -> all.put(input, new ArrayList<>(some)));
        more.forEach((input, some) ->
                all.computeIfAbsent(input, none -> new ArrayList<>()).addAll(some));
        return new PastWork(new ReadSpans(all), sums, repeated, rows + moreRows, rejects, sample);
    }

    /** Adds the checksums of this attempt. */
    public List<IndexChecksum> and(List<IndexChecksum> now) {
        return IndexChecksum.addEach(sums, now);
    }
}
