package io.sluice.importer.job.verify;

import io.sluice.api.node.IndexChecksum;
import io.sluice.importer.job.ImportSettings;
import io.sluice.importer.job.VerificationReport;
import io.sluice.importer.job.VerificationReport.Bucket;
import io.sluice.importer.job.VerificationReport.IndexCheck;
import io.sluice.importer.job.output.ImportContext;
import io.sluice.importer.source.InputFile;
import io.sluice.model.error.FailureCode;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.kv.KvChecksum;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The last check before a table becomes visible: compares the store with what was handed over to it.
 *
 * @param reporter receives the result, good or bad
 */
public record StoreCheck(ImportContext context, List<InputFile> inputs, Consumer<VerificationReport> reporter) {
    /**
     * Checks the store against the written KVs; returns the table's checksums.
     *
     * @throws OperationFailedException when they differ, naming the spans of keys and their inputs
     */
    public List<IndexChecksum> check(List<IndexChecksum> written) throws IOException, InterruptedException {
        Buckets buckets = new Buckets(context.table(), context.borders());
        // A resumed import ships again what has no checkpoint record, so only reading back counts each KV once.
        List<IndexChecksum> present = context.session().resumed() ? null : present();
        BucketReading read = present == null ? BucketReading.of(context.session(), buckets) : null;
        List<IndexChecksum> found = read == null ? Objects.requireNonNull(present) : read.sums(context.table());
        List<IndexChecksum> expected = written;
        boolean readable = read == null || read.readable();
        boolean repeated = readable && Verifier.countsFallShort(written, found);
        if (repeated) {
            // Several SSTs hold the same keys: repeated rows or conflicts. Only the input can tell which.
            expected = new RepeatSearch(context, inputs).run();
            if (context.conflicts().conflicts() > 0) {
                return expected;
            }
        }
        boolean full = context.settings().verification() == ImportSettings.Verification.FULL;
        boolean unclear = repeated || !found.equals(expected);
        if (read == null && (full || unclear)) {
            read = BucketReading.of(context.session(), buckets);
        }
        if (read != null && !(read.readable() && read.sums(context.table()).equals(expected))) {
            throw differs(expected, read);
        }
        if (present != null && !repeated) {
            Verifier.check(context.table(), "handed over", expected, "in the store", present);
        }
        reporter.accept(agreed(expected, read));
        return expected;
    }

    /** The store's own checksums; null if the store has KVs that cannot be read. */
    private @Nullable List<IndexChecksum> present() {
        try {
            return context.session().present();
        } catch (OperationFailedException e) {
            if (!BucketReading.isUnreadableKv(e)) {
                throw e;
            }
            return null;
        }
    }

    private OperationFailedException differs(List<IndexChecksum> expected, BucketReading read)
            throws IOException, InterruptedException {
        DifferenceSearch.Result result = new DifferenceSearch(context, inputs, read).run(expected);
        reporter.accept(result.report());
        return new OperationFailedException(result.message(), FailureCode.VERIFICATION);
    }

    /** Reports that the table holds the expected KVs, after another check found so. */
    public void reportAgreement(List<IndexChecksum> expected) {
        reporter.accept(agreed(expected, null));
    }

    private VerificationReport agreed(List<IndexChecksum> expected, @Nullable BucketReading read) {
        Buckets buckets = read == null ? Buckets.whole(context.table()) : read.buckets();
        List<IndexCheck> indexes = new ArrayList<>();
        for (int i = 0; i < expected.size(); i++) {
            KvChecksum sum = expected.get(i).sum();
            List<Bucket> checked = new ArrayList<>();
            for (int bucket = 0; bucket < buckets.count(i); bucket++) {
                BucketReading.Found part = read == null
                        ? new BucketReading.Found(sum, null)
                        : read.found().get(i).get(bucket);
                checked.add(DifferenceSearch.of(
                        buckets.span(i, bucket),
                        VerificationReport.State.OK,
                        buckets.count(i) == 1 ? sum : null,
                        part,
                        List.of(),
                        0));
            }
            indexes.add(new IndexCheck(expected.get(i).index(), sum, sum, checked));
        }
        return new VerificationReport(context.table().name(), read != null, indexes);
    }
}
