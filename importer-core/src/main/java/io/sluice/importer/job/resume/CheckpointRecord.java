package io.sluice.importer.job.resume;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.sluice.api.node.ImportSession;
import io.sluice.api.node.IndexChecksum;
import io.sluice.api.wire.ChecksumBody;
import io.sluice.importer.source.ReadSpan;
import io.sluice.importer.source.ReadSpans;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.kv.KvChecksum;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * The durable record of a completed {@link CheckpointUnit}. Nodes keep it for the process that resumes the import.
 *
 * @param spans what was read; of each span: input, start, end, lines, records, counted, first, last
 * @param sums checksums of the KVs that nodes took, per index
 * @param repeated number of repeated KVs that were not handed over, per index
 * @param rows number of good records
 * @param rejects number of bad records
 */
record CheckpointRecord(List<long[]> spans, List<ChecksumBody> sums, List<Long> repeated, long rows, long rejects) {
    private static final int SPAN_FIELDS = 8;
    private static final JsonMapper JSON = new JsonMapper();

    static CheckpointRecord of(
            Map<Integer, List<ReadSpan>> spans,
            List<String> indexNames,
            KvChecksum[] taken,
            long[] repeated,
            long rows,
            long rejects) {
        List<long[]> flat = new ArrayList<>();
        new ReadSpans(spans)
                .byInput()
                .forEach((input, joined) -> joined.forEach(span -> flat.add(new long[] {
                    input,
                    span.start(),
                    span.end(),
                    span.lines(),
                    span.records(),
                    span.counted(),
                    span.first() ? 1 : 0,
                    span.last() ? 1 : 0
                })));
        List<ChecksumBody> sums = new ArrayList<>();
        for (int i = 0; i < taken.length; i++) {
            sums.add(ChecksumBody.of(new IndexChecksum(indexNames.get(i), taken[i])));
        }
        return new CheckpointRecord(flat, sums, Arrays.stream(repeated).boxed().toList(), rows, rejects);
    }

    /** Whether a key is that of a checkpoint record. */
    static boolean isKey(String key) {
        return key.startsWith(ImportSession.DONE);
    }

    /**
     * The record's key. It is unique: no two records begin at the same position of the input, since recorded spans are
     * not read again.
     */
    String key() {
        long[] first = spans.get(0);
        return ImportSession.DONE + first[0] + "-" + first[1];
    }

    byte[] toJson() {
        try {
            return JSON.writeValueAsBytes(this);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("cannot write a checkpoint record as JSON", e);
        }
    }

    static CheckpointRecord read(String key, byte[] note) {
        try {
            CheckpointRecord read = JSON.readValue(note, CheckpointRecord.class);
            if (read.spans.isEmpty() || read.spans.stream().anyMatch(span -> span.length != SPAN_FIELDS)) {
                throw new IOException("spans do not have " + SPAN_FIELDS + " fields");
            }
            return read;
        } catch (IOException e) {
            throw new OperationFailedException(
                    "note " + key + " of the import was written by another version of Sluice, which must also go on"
                            + " with it",
                    e);
        }
    }

    /** Adds the spans to those of their inputs. */
    void addSpans(Map<Integer, List<ReadSpan>> byInput) {
        for (long[] span : spans) {
            byInput.computeIfAbsent((int) span[0], input -> new ArrayList<>())
                    .add(new ReadSpan(span[1], span[2], span[3], span[4], span[5], span[6] != 0, span[7] != 0));
        }
    }
}
