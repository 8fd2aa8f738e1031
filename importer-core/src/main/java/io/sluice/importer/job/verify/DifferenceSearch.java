package io.sluice.importer.job.verify;

import io.sluice.api.node.IndexChecksum;
import io.sluice.importer.job.VerificationReport;
import io.sluice.importer.job.VerificationReport.Bucket;
import io.sluice.importer.job.VerificationReport.IndexCheck;
import io.sluice.importer.job.VerificationReport.Source;
import io.sluice.importer.job.VerificationReport.State;
import io.sluice.importer.job.output.ImportContext;
import io.sluice.importer.source.InputFile;
import io.sluice.model.error.SluiceException;
import io.sluice.model.kv.KeySpan;
import io.sluice.model.kv.KvChecksum;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Finds the buckets of a store that differ from the input, and the inputs of their rows. It reads the input once more
 * to compute each bucket's checksum. This costs a second import's reading and sorting, so it runs only after a failed
 * verification.
 */
final class DifferenceSearch {
    private static final int SOURCES_SHOWN = 20;
    /** Most buckets in the message per index; the report has all. */
    private static final int BUCKETS_SHOWN = 5;

    private final ImportContext context;
    private final List<InputFile> inputs;
    private final BucketReading read;

    DifferenceSearch(ImportContext context, List<InputFile> inputs, BucketReading read) {
        this.context = context;
        this.inputs = inputs;
        this.read = read;
    }

    /**
     * The differences.
     *
     * @param report the buckets of all indexes
     * @param unknown why the expected checksums of the buckets are unknown, or null
     */
    record Result(VerificationReport report, @Nullable String unknown) {
        /** The error message. */
        String message() {
            StringBuilder text = new StringBuilder("verification failed");
            for (IndexCheck index : report.indexes()) {
                if (index.ok()) {
                    continue;
                }
                text.append("\ntable ")
                        .append(report.table())
                        .append(", index ")
                        .append(index.index());
                text.append(": expected ").append(Verifier.describe(index.expected()));
                text.append(", in the store ").append(Verifier.describe(index.found()));
                List<Bucket> bad = index.buckets().stream()
                        .filter(bucket -> bucket.state() != State.OK)
                        .toList();
                bad.stream().limit(BUCKETS_SHOWN).forEach(bucket -> DifferenceSearch.append(text, bucket));
                if (bad.size() > BUCKETS_SHOWN) {
                    text.append("\n  and ").append(bad.size() - BUCKETS_SHOWN).append(" more spans");
                }
            }
            if (unknown != null) {
                text.append("\nThe input cannot be read again to tell which keys: ")
                        .append(unknown);
            }
            return text.append(Verifier.UNDONE).toString();
        }
    }

    /** Searches the differences from the expected checksums of the whole indexes. */
    Result run(List<IndexChecksum> expected) throws IOException, InterruptedException {
        List<List<KvChecksum>> exact = null;
        SourceCounts counts = new SourceCounts(read.buckets(), expected.size());
        String unknown = null;
        try {
            exact = new RepeatSearch(context, inputs).byBucket(read.buckets(), counts);
        } catch (SluiceException e) {
            if (Thread.currentThread().isInterrupted()) {
                throw e;
            }
            unknown = e.getMessage();
        }
        List<IndexCheck> indexes = new ArrayList<>();
        for (int i = 0; i < expected.size(); i++) {
            List<Bucket> buckets = new ArrayList<>();
            for (int bucket = 0; bucket < read.buckets().count(i); bucket++) {
                buckets.add(
                        bucket(i, bucket, exact == null ? null : exact.get(i).get(bucket), counts));
            }
            KvChecksum all = exact == null
                    ? expected.get(i).sum()
                    : exact.get(i).stream().reduce(KvChecksum.EMPTY, KvChecksum::plus);
            KvChecksum found = read.sums(context.table()).get(i).sum();
            indexes.add(new IndexCheck(expected.get(i).index(), all, found, buckets));
        }
        return new Result(new VerificationReport(context.table().name(), true, indexes), unknown);
    }

    private Bucket bucket(int ordinal, int bucket, @Nullable KvChecksum expected, SourceCounts counts) {
        BucketReading.Found found = read.found().get(ordinal).get(bucket);
        State state = state(expected, found);
        Map<Integer, Long> rows = counts.of(ordinal, bucket);
        List<Source> sources = state == State.OK
                ? List.of()
                : rows.entrySet().stream()
                        .limit(SOURCES_SHOWN)
                        .map(each -> new Source(inputs.get(each.getKey()).name(), each.getValue()))
                        .toList();
        return of(
                read.buckets().span(ordinal, bucket),
                state,
                expected,
                found,
                sources,
                state == State.OK ? 0 : rows.size() - sources.size());
    }

    static Bucket of(
            KeySpan span,
            State state,
            @Nullable KvChecksum expected,
            BucketReading.Found found,
            List<Source> sources,
            int moreSources) {
        HexFormat hex = HexFormat.of();
        return new Bucket(
                hex.formatHex(span.start()),
                hex.formatHex(span.end()),
                state,
                expected,
                found.sum(),
                found.problem(),
                sources,
                moreSources);
    }

    static State state(@Nullable KvChecksum expected, BucketReading.Found found) {
        if (found.problem() != null) {
            return State.DAMAGED;
        }
        if (expected == null || expected.equals(found.sum())) {
            return State.OK;
        }
        int more = Long.compare(found.sum().count(), expected.count());
        return more < 0 ? State.MISSING : more > 0 ? State.EXTRA : State.DAMAGED;
    }

    private static void append(StringBuilder text, Bucket bucket) {
        text.append("\n  keys from ").append(bucket.start()).append(" to ").append(bucket.end());
        text.append(": ").append(bucket.state().name().toLowerCase(Locale.ROOT));
        KvChecksum expected = bucket.expected();
        if (expected != null) {
            text.append(", expected ").append(Verifier.describe(expected));
        }
        text.append(
                bucket.problem() == null ? ", found " + Verifier.describe(bucket.found()) : "; " + bucket.problem());
        if (!bucket.sources().isEmpty()) {
            String sources = bucket.sources().stream()
                    .map(source -> source.name() + " (" + source.rows() + ")")
                    .collect(Collectors.joining(", "));
            text.append("\n  rows with such keys are in ").append(sources);
            if (bucket.moreSources() > 0) {
                text.append(" and ").append(bucket.moreSources()).append(" more");
            }
        }
    }
}
