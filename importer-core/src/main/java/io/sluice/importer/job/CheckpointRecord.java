package io.sluice.importer.job;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.sluice.api.error.OperationFailedException;
import io.sluice.api.kv.KvChecksum;
import io.sluice.api.node.ImportSession;
import io.sluice.api.node.IndexChecksum;
import io.sluice.api.wire.ChecksumBody;
import io.sluice.importer.source.ReadSpan;
import io.sluice.importer.source.ReadSpans;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * A {@link CheckpointUnit} of which everything was taken, as nodes keep it for whoever resumes the import.
 *
 * @param spans what was read: input, start, end, lines, records, counted, first, last of each
 * @param sums what was handed over, per index
 * @param repeated how many KVs were not, because the same ones had been, per index
 * @param rows good records
 * @param rejects bad ones
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

    /** Whether a note is one of these. */
    static boolean isKey(String key) {
        return key.startsWith(ImportSession.DONE);
    }

    /** The note's key. No two groups begin at the same place of the input, for nothing is read twice once noted. */
    String key() {
        long[] first = spans.get(0);
        return ImportSession.DONE + first[0] + "-" + first[1];
    }

    byte[] toJson() {
        try {
            return JSON.writeValueAsBytes(this);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("numbers that are no JSON", e);
        }
    }

    static CheckpointRecord read(String key, byte[] note) {
        try {
            CheckpointRecord read = JSON.readValue(note, CheckpointRecord.class);
            if (read.spans.isEmpty() || read.spans.stream().anyMatch(span -> span.length != SPAN_FIELDS)) {
                throw new IOException("spans of another form");
            }
            return read;
        } catch (IOException e) {
            throw new OperationFailedException(
                    "note " + key + " of the import was written by another version of Sluice, which must also go on"
                            + " with it",
                    e);
        }
    }

    /** The spans, each added to those of its input. */
    void addSpans(Map<Integer, List<ReadSpan>> byInput) {
        for (long[] span : spans) {
            byInput.computeIfAbsent((int) span[0], input -> new ArrayList<>())
                    .add(new ReadSpan(span[1], span[2], span[3], span[4], span[5], span[6] != 0, span[7] != 0));
        }
    }
}
