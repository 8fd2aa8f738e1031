package io.sluice.importer.job;

import io.sluice.api.error.OperationFailedException;
import io.sluice.api.kv.KvChecksum;
import io.sluice.api.node.IndexChecksum;
import io.sluice.importer.job.VerificationReport.Bucket;
import io.sluice.importer.job.VerificationReport.IndexCheck;
import io.sluice.importer.source.InputFile;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The last check before a table becomes visible: does the store hold what was handed over to it?
 *
 * @param told what was found, good or bad
 */
record StoreCheck(ImportContext context, List<InputFile> inputs, Consumer<VerificationReport> told) {
    /**
     * Holds the store to what was written; returns what the table adds up to.
     *
     * @throws OperationFailedException when they differ, naming the keys and the inputs they came from
     */
    List<IndexChecksum> hold(List<IndexChecksum> written) throws IOException, InterruptedException {
        Buckets buckets = new Buckets(context.table(), context.borders());
        // What an earlier attempt shipped and did not note was shipped again: only reading tells each KV once.
        List<IndexChecksum> present = context.session().resumed() ? null : present();
        BucketReading read = present == null ? BucketReading.of(context.session(), buckets) : null;
        List<IndexChecksum> found = read == null ? Objects.requireNonNull(present) : read.sums(context.table());
        List<IndexChecksum> expected = written;
        boolean readable = read == null || read.readable();
        boolean repeated = readable && Verifier.countsFallShort(written, found);
        if (repeated) {
            // Keys came in several SSTs: rows that were repeated, or conflicts. Only the input can tell.
            expected = new RepeatSearch(context, inputs).run();
            if (context.conflicts().conflicts() > 0) {
                return expected;
            }
        }
        boolean full = context.settings().verification() == ImportSettings.Verification.FULL;
        boolean inDoubt = repeated || !found.equals(expected);
        if (read == null && (full || inDoubt)) {
            read = BucketReading.of(context.session(), buckets);
        }
        if (read != null && !(read.readable() && read.sums(context.table()).equals(expected))) {
            throw differs(expected, read);
        }
        if (present != null && !repeated) {
            new Verifier(context.table()).check("handed over", expected, "in the store", present);
        }
        told.accept(agreed(expected, read));
        return expected;
    }

    /** What the store says of itself; null when it finds KVs that cannot be read. */
    private @Nullable List<IndexChecksum> present() {
        try {
            return context.session().present();
        } catch (OperationFailedException e) {
            if (!BucketReading.isOfTheKvs(e)) {
                throw e;
            }
            return null;
        }
    }

    private OperationFailedException differs(List<IndexChecksum> expected, BucketReading read)
            throws IOException, InterruptedException {
        DifferenceSearch.Result result = new DifferenceSearch(context, inputs, read).run(expected);
        told.accept(result.report());
        return new OperationFailedException(DifferenceText.of(result));
    }

    /** Says that the table holds what it should, as was found in another way. */
    void agrees(List<IndexChecksum> expected) {
        told.accept(agreed(expected, null));
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
