package io.sluice.importer.job;

import io.sluice.importer.job.VerificationReport.Bucket;
import io.sluice.importer.job.VerificationReport.IndexCheck;
import io.sluice.importer.job.VerificationReport.State;
import io.sluice.model.kv.KvChecksum;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Formats a failed verification for the user. */
final class DifferenceText {
    /** Most buckets shown per index; the report has all. */
    private static final int BUCKETS_SHOWN = 5;

    private DifferenceText() {}

    /** The error message. */
    static String of(DifferenceSearch.Result result) {
        VerificationReport report = result.report();
        StringBuilder text = new StringBuilder("verification failed");
        for (IndexCheck index : report.indexes()) {
            if (index.ok()) {
                continue;
            }
            text.append("\ntable ").append(report.table()).append(", index ").append(index.index());
            text.append(": expected ").append(describe(index.expected()));
            text.append(", in the store ").append(describe(index.found()));
            List<Bucket> bad = index.buckets().stream()
                    .filter(bucket -> bucket.state() != State.OK)
                    .toList();
            bad.stream().limit(BUCKETS_SHOWN).forEach(bucket -> append(text, bucket));
            if (bad.size() > BUCKETS_SHOWN) {
                text.append("\n  and ").append(bad.size() - BUCKETS_SHOWN).append(" more spans");
            }
        }
        if (result.unknown() != null) {
            text.append("\nThe input cannot be read again to tell which keys: ").append(result.unknown());
        }
        return text.append(Verifier.UNDONE).toString();
    }

    private static void append(StringBuilder text, Bucket bucket) {
        text.append("\n  keys from ").append(bucket.start()).append(" to ").append(bucket.end());
        text.append(": ").append(bucket.state().name().toLowerCase(Locale.ROOT));
        KvChecksum expected = bucket.expected();
        if (expected != null) {
            text.append(", expected ").append(describe(expected));
        }
        text.append(bucket.problem() == null ? ", found " + describe(bucket.found()) : "; " + bucket.problem());
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

    private static String describe(KvChecksum sum) {
        return sum.count() + " KVs of " + sum.bytes() + " bytes, checksum " + sum.digest();
    }
}
