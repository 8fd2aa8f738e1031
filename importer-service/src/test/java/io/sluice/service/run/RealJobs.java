package io.sluice.service.run;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.node.NodeSettings;
import io.sluice.node.StorageNode;
import io.sluice.service.job.Job;
import io.sluice.service.job.JobFiles;
import io.sluice.service.job.JobRegistry;
import io.sluice.service.job.JobState;
import io.sluice.service.spec.SourceRoots;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

/** Jobs in a directory, with a storage node in this process and files to import. */
final class RealJobs implements AutoCloseable {
    /** So slowly a job reads that must not end by itself. */
    static final int SLOW_BYTES_PER_SECOND = 1_000;

    private static final int MOST_PENDING = 10;
    private static final long PATIENCE_NANOS = 60_000_000_000L;

    final Path inputs;
    final StorageNode node;
    final JobRegistry registry;
    final SourceRoots roots;
    final Target target;
    final Preparation preparation;
    /** The state changes of all jobs, as {@code id:state}. */
    final List<String> history = Collections.synchronizedList(new ArrayList<>());

    private final Object changed = new Object();

    RealJobs(Path directory) throws IOException {
        this(directory, NodeSettings.defaults());
    }

    RealJobs(Path directory, NodeSettings settings) throws IOException {
        inputs = Files.createDirectories(directory.resolve("inputs"));
        node = StorageNode.open(directory.resolve("store"), settings);
        registry = new JobRegistry(new JobFiles(directory.resolve("jobs")), MOST_PENDING, Clock.systemUTC());
        registry.listen((job, before) -> {
            synchronized (changed) {
                history.add(job.id() + ":" + job.state().label());
                changed.notifyAll();
            }
        });
        roots = new SourceRoots(List.of(inputs.toString()));
        target = new Target(node, 1, directory.resolve("work"), null, table -> null, List::of);
        preparation = new Preparation(
                target, roots, new NamedSources(roots, registry), new RunSettings(1, 64 << 20, 1, "test"));
    }

    /** A request for an import of one file of this content into a table of the job's name. */
    ObjectNode request(String id, String content) throws IOException {
        Path file = Files.writeString(inputs.resolve(id + ".csv"), content);
        ObjectNode request = JsonNodeFactory.instance.objectNode();
        request.put("schema", "CREATE TABLE " + id + " (id INT PRIMARY KEY, v STRING)");
        request.putArray("inputs").add(file.toString());
        return request.put("mode", "direct");
    }

    Job create(String id, ObjectNode request) {
        return ((JobRegistry.Creation.Created) registry.create(id, id, Map.of(), request, null)).job();
    }

    /** A job that imports two rows. */
    Job quick(String id) throws IOException {
        return create(id, request(id, "1,one\n2,two\n"));
    }

    /** A job that runs until it is stopped. */
    Job slow(String id) throws IOException {
        StringBuilder rows = new StringBuilder();
        for (int i = 0; i < 100_000; i++) {
            rows.append(i).append(",a value of some length\n");
        }
        return create(id, request(id, rows.toString()).put("bytesPerSecond", SLOW_BYTES_PER_SECOND));
    }

    Attempt attempt(Job job) {
        return new Attempt(job, preparation, new JobWatch(job, Clock.systemUTC()), message -> message);
    }

    void await(Job job, JobState state) throws InterruptedException {
        await(() -> job.state() == state, job.id() + " is not " + state.label());
    }

    /** Waits for something that comes with a state change of a job. */
    void await(BooleanSupplier condition, String problem) throws InterruptedException {
        long end = System.nanoTime() + PATIENCE_NANOS;
        synchronized (changed) {
            while (!condition.getAsBoolean()) {
                long left = (end - System.nanoTime()) / 1_000_000;
                if (left <= 0) {
                    throw new AssertionError(problem + "; " + history);
                }
                changed.wait(left);
            }
        }
    }

    /** The ids of jobs in the order in which they came to a state. */
    List<String> inOrder(JobState state) {
        synchronized (history) {
            return history.stream()
                    .filter(entry -> entry.endsWith(":" + state.label()))
                    .map(entry -> entry.substring(0, entry.indexOf(':')))
                    .toList();
        }
    }

    @Override
    public void close() {
        node.close();
    }
}
