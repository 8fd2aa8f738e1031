package io.sluice.spark;

import io.sluice.importer.conflict.ConflictPolicy;
import io.sluice.importer.conflict.Contender;
import io.sluice.importer.conflict.Fingerprint;
import io.sluice.importer.conflict.Resolution;
import io.sluice.importer.decode.RejectLimit;
import io.sluice.importer.decode.RejectSink;
import io.sluice.importer.source.InputFile;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.util.TaskCompletionListener;
import org.jspecify.annotations.Nullable;
import scala.Tuple2;

/** The rows of files, in the order of the files. */
final class FileRows implements SourceRows {
    /** Most tasks that read: more files share tasks. */
    private static final int MOST_TASKS = 10_000;

    /** Sampled text: some 1,000 splits, of which each gives the keys of up to 100 rows. */
    private static final long SAMPLED_BYTES = 64L << 20;

    private final JavaSparkContext spark;
    private final List<InputFile> files;
    private final List<FileRef> refs;
    private final FileTask task;
    private final Rejects rejects;

    /**
     * Limit and place of bad rows, and the policy for rows with equal keys.
     *
     * @param limit most of all files together
     * @param policy policy for rows with equal keys
     * @param bundle takes the rejects; null if they are not kept
     * @param complete called when the bundle has all of them
     */
    record Rejects(
            RejectLimit limit,
            ConflictPolicy policy,
            @Nullable RejectSink bundle,
            Runnable complete) {}

    FileRows(JavaSparkContext spark, List<InputFile> files, FileTask task, Rejects rejects) {
        this.spark = spark;
        this.files = files;
        refs = files.stream().map(FileRef::of).toList();
        this.task = task;
        this.rejects = rejects;
    }

    private JavaRDD<FileRef> parallel() {
        return spark.parallelize(refs, (int) readers());
    }

    private long readers() {
        return Math.min(refs.size(), MOST_TASKS);
    }

    @Override
    public Sample sample() {
        long bytes = refs.stream().mapToLong(FileRef::sizeBytes).sum();
        double share = Math.min(1, SAMPLED_BYTES / (bytes + 1.0));
        FileTask work = task;
        List<Tuple2<byte[], Long>> keys = new ArrayList<>();
        for (FileTask.Answer<byte[]> answer :
                parallel().map(ref -> work.sample(ref, share)).collect()) {
            answer.get().forEach(packed -> SampledKeys.unpack(packed, keys));
        }
        return new Sample(keys, (long) (keys.stream().mapToLong(Tuple2::_2).sum() / share));
    }

    @Override
    public long tasks() {
        return Math.min(readers(), spark.defaultParallelism());
    }

    @Override
    public JavaRDD<Tuple2<byte[], byte[]>> kvs(Broadcast<Set<Fingerprint>> losers, KeyRanges ranges) {
        FileTask work = task;
        return parallel().mapPartitions(some -> {
            FileKvs kvs = new FileKvs(work, losers.value(), ranges, some);
            TaskContext.get().addTaskCompletionListener((TaskCompletionListener) context -> kvs.close());
            return kvs;
        });
    }

    @Override
    public List<Contender> contenders(List<byte[]> keys) {
        FileTask work = task;
        List<Contender> found = new ArrayList<>();
        parallel().map(ref -> work.contenders(ref, keys)).collect().forEach(answer -> found.addAll(answer.get()));
        return found;
    }

    @Override
    public void check(List<TaskResults.Read> read) {
        for (TaskResults.Read file : read) {
            if (file.failure() != null) {
                throw new BadInputException(file.failure());
            }
        }
        long bad = read.stream().mapToLong(TaskResults.Read::bad).sum();
        long all = bad
                + read.stream().mapToLong(file -> file.rows() + file.dropped()).sum();
        if (!rejects.limit.exceeded(bad, all, true)) {
            return;
        }
        keep(read, List.of(), -1);
        String first = read.stream()
                .flatMap(file -> file.problems().stream())
                .findFirst()
                .orElse("");
        throw new BadInputException(first
                + (rejects.limit.equals(RejectLimit.NONE)
                        ? "\nNothing was written. Correct the record, or allow some with --max-rejects N"
                        : "\nNothing was written: there are more than the " + rejects.limit.label()
                                + " rejects that --max-rejects allows; this was the first"));
    }

    @Override
    public void keepRejects(List<TaskResults.Read> read, List<Resolution.Drop> drops) {
        keep(
                read,
                rejects.policy == ConflictPolicy.CAPTURE ? drops : List.of(),
                read.stream().mapToLong(TaskResults.Read::bad).sum());
        rejects.complete.run();
    }

    /**
     * Reads the files with rejects again, some at a time, and passes their rejects on in order.
     *
     * @param expected number of bad rows; -1: pass on those up to the limit and the one above it
     */
    private void keep(List<TaskResults.Read> read, List<Resolution.Drop> drops, long expected) {
        if (rejects.bundle == null) {
            return;
        }
        Map<Integer, List<Resolution.Drop>> dropsOf = drops.stream()
                .collect(Collectors.groupingBy(drop -> drop.loser().place().file()));
        Map<Integer, Long> badOf = new HashMap<>();
        read.forEach(file -> badOf.put(file.partition(), file.bad()));
        List<FileRef> wanted = refs.stream()
                .filter(ref -> badOf.getOrDefault(ref.ordinal(), 0L) > 0 || dropsOf.containsKey(ref.ordinal()))
                .toList();
        long most =
                expected < 0 && rejects.limit instanceof RejectLimit.Count count ? count.most() : Long.MAX_VALUE - 1;
        int some = Math.max(1, spark.defaultParallelism());
        long kept = 0;
        for (int from = 0; from < wanted.size() && kept <= most; from += some) {
            List<Tuple2<FileRef, List<Resolution.Drop>>> work = new ArrayList<>();
            for (FileRef ref : wanted.subList(from, Math.min(wanted.size(), from + some))) {
                work.add(new Tuple2<>(ref, new ArrayList<>(dropsOf.getOrDefault(ref.ordinal(), List.of()))));
            }
            kept = pass(work, kept, most);
        }
        if (expected >= 0 && kept != expected) {
            throw new OperationFailedException("the files gave " + expected + " bad rows at first and " + kept
                    + " when they were read again: they change. Nothing was written; submit again");
        }
    }

    /** Passes on the rejects of some files; returns the number of all so far. */
    private long pass(List<Tuple2<FileRef, List<Resolution.Drop>>> work, long before, long most) {
        FileTask on = task;
        ConflictPolicy policy = rejects.policy;
        long kept = before;
        for (FileTask.Answer<FileTask.Rejected> answer : spark.parallelize(work, work.size())
                .map(each -> on.rejects(each._1(), policy, each._2(), most + 1))
                .collect()) {
            for (FileTask.Rejected each : answer.get()) {
                if (kept <= most) {
                    Objects.requireNonNull(rejects.bundle)
                            .write(files.get(each.file()), each.header(), each.line(), each.reject());
                    kept += each.reject().records();
                }
            }
        }
        return kept;
    }

    @Override
    public String onConflictAdvice() {
        return "Remove one row of each pair, or change the key or the UNIQUE index of the schema; or let --on-conflict"
                + " first, last or capture choose.";
    }
}
