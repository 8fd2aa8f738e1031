package io.sluice.service.job;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.api.wire.JobsBody;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.ChangeRefusedException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.error.Reasons;
import io.sluice.model.file.DurableFiles;
import io.sluice.model.file.OwnerOnly;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedDeque;
import org.jspecify.annotations.Nullable;

/**
 * The files of jobs, in one directory per job. {@code job.json} is replaced and synced with every state change.
 * {@code spec.json} is the request with its credentials, and never changes. Other files are written without a sync: a
 * power failure may lose them, and readers then treat them as missing.
 *
 * <p>With a {@link JobCatalog}, requests, states and reports are written there first. The other files are of this
 * service alone.
 */
public final class JobFiles {
    private static final String RECORD = "job.json";
    /** Member of {@code job.json} with the report of a job that succeeded. */
    private static final String REPORT = "report";

    private static final String SPEC = "spec.json";
    /** Name prefix of what is no job's directory, or one that is being created or removed; no job id has it. */
    private static final String HIDDEN = ".";
    /** Name prefix of the directories of {@link #unanswered}. */
    private static final String UNANSWERED = HIDDEN + "unanswered-";

    /** File that exists once all jobs were in a catalog. */
    private static final String SHARED = HIDDEN + "shared";
    /** Its name in earlier builds; a job may have that id, whose directory is no mark. */
    private static final String SHARED_BEFORE = "shared";

    /** Each takes a directory, and less than 2 kB of memory: its report stays on disk. */
    private static final int MOST_FINISHED = 10_000;

    /** Each takes some 15 kB with its report. */
    private static final int MOST_SHARED = 1_000;

    private static final JsonMapper JSON = new JsonMapper();

    private final Path root;
    /**
     * Longest request in a catalog: 192 KiB. With every character escaped it leaves a quarter of the log's limit for
     * the state and the report, so that a job which could be created can also end.
     */
    private static final int MAX_SHARED_BYTES = 192 << 10;

    private final @Nullable JobCatalog catalog;

    /** New jobs that the catalog may have although their creation failed: their clients believe that none exists. */
    private final Deque<JobsBody.Job> unanswered = new ConcurrentLinkedDeque<>();

    /** Opens the files of jobs that no other service takes over. */
    public JobFiles(Path root) {
        this(root, null);
    }

    /**
     * Opens the files of jobs.
     *
     * @param root directory, created if missing; only its owner can read it
     * @param catalog where other services find the jobs; null: nowhere
     */
    public JobFiles(Path root, @Nullable JobCatalog catalog) {
        this.root = root;
        this.catalog = catalog;
        try {
            OwnerOnly.createDirectories(root);
            OwnerOnly.restrict(root);
        } catch (IOException e) {
            throw new OperationFailedException(root + ": jobs cannot be kept here: " + Reasons.ofFile(root, e), e);
        }
    }

    /** The directory of a job's files. */
    public Path directory(String id) {
        return root.resolve(id);
    }

    /**
     * Writes a new job durably.
     *
     * @return false if a job of that id exists
     */
    boolean create(JobRecord job, JsonNode spec) {
        Path unfinished = root.resolve(HIDDEN + "new-" + job.number());
        try {
            byte[] request = JSON.writeValueAsBytes(spec);
            if (catalog != null && request.length > MAX_SHARED_BYTES) {
                throw new BadInputException(
                        "the request has " + request.length + " bytes, and the log of the cluster takes "
                                + MAX_SHARED_BYTES + "; name a directory instead of single files");
            }
            writeNew(unfinished, request, JSON.writeValueAsBytes(job));
            if (Files.exists(directory(job.id()))) {
                DurableFiles.deleteTree(unfinished);
                return false;
            }
            if (catalog != null) {
                putNew(catalog, unfinished);
            }
            try {
                Files.move(unfinished, directory(job.id()), StandardCopyOption.ATOMIC_MOVE);
                DurableFiles.syncDirectory(root);
            } catch (IOException e) {
                if (catalog != null) {
                    keepUnanswered(unfinished);
                }
                throw e;
            }
            return true;
        } catch (FileAlreadyExistsException e) {
            return false;
        } catch (IOException e) {
            throw failed(job.id(), e);
        }
    }

    private void putNew(JobCatalog others, Path unfinished) throws IOException {
        cancelUnanswered(others);
        JobsBody.Job job = shared(unfinished);
        try {
            others.put(job);
        } catch (ChangeRefusedException e) {
            throw e;
        } catch (OperationFailedException e) {
            keepUnanswered(unfinished);
            throw new OperationFailedException(
                    "job " + job.id() + " is not created: " + e.getMessage()
                            + "; if the cluster has taken it all the same, this service cancels it when nodes answer"
                            + " again",
                    e);
        }
    }

    /** A job as its directory has it. */
    private static JobsBody.Job shared(Path directory) throws IOException {
        String record = Files.readString(directory.resolve(RECORD));
        String id = JSON.readValue(record, JobRecord.class).id();
        return new JobsBody.Job(id, record, Files.readString(directory.resolve(SPEC)));
    }

    /** Keeps a job for {@link #cancelUnanswered}, also of a service that is started again. */
    private void keepUnanswered(Path unfinished) throws IOException {
        JobsBody.Job job = shared(unfinished);
        unanswered.add(job);
        Files.move(unfinished, unanswered(job), StandardCopyOption.ATOMIC_MOVE);
    }

    private Path unanswered(JobsBody.Job job) throws IOException {
        return root.resolve(
                UNANSWERED + JSON.readValue(job.record(), JobRecord.class).number());
    }

    /** Finds the jobs without an answer of an earlier process that no service has begun. */
    private void findUnanswered(JobCatalog others) throws IOException {
        List<JobsBody.Job> known = others.all();
        try (DirectoryStream<Path> directories = Files.newDirectoryStream(root, UNANSWERED + "*")) {
            for (Path directory : directories) {
                JobsBody.Job job = shared(directory);
                JsonNode record = JSON.readTree(job.record());
                for (JobsBody.Job each : known) {
                    if (each.id().equals(job.id())
                            && JSON.readTree(each.record()).equals(record)) {
                        unanswered.add(job);
                    }
                }
            }
        }
    }

    /**
     * Cancels new jobs without an answer, which no service must run. Writes each as new first: the catalog keeps the
     * later state then, even if the first request still comes.
     */
    private void cancelUnanswered(JobCatalog others) throws IOException {
        for (JobsBody.Job job = unanswered.poll(); job != null; job = unanswered.poll()) {
            try {
                others.put(job);
                others.put(new JobsBody.Job(
                        job.id(),
                        JSON.writeValueAsString(JSON.readValue(job.record(), JobRecord.class)
                                .withdrawn("the cluster did not answer when it was created")),
                        job.spec()));
                DurableFiles.deleteTree(unanswered(job));
            } catch (ChangeRefusedException e) {
                // Another service has the jobs now, and this one.
                return;
            } catch (OperationFailedException e) {
                unanswered.addFirst(job);
                throw e;
            }
        }
    }

    /** Writes a job's new state durably, and with the final state its report. */
    void save(JobRecord job, @Nullable JsonNode report) {
        try {
            Path directory = directory(job.id());
            ObjectNode json = JSON.valueToTree(job);
            if (report != null) {
                json.set(REPORT, report);
            }
            if (catalog != null) {
                cancelUnanswered(catalog);
                catalog.put(new JobsBody.Job(
                        job.id(), json.toString(), spec(job.id()).toString()));
            }
            replace(directory, RECORD, JSON.writeValueAsBytes(json), true);
            DurableFiles.syncDirectory(directory);
        } catch (IOException e) {
            throw failed(job.id(), e);
        }
    }

    /** Replaces one of a job's other files atomically, without a sync. */
    public void put(String id, String name, byte[] content) {
        try {
            replace(directory(id), name, content, false);
        } catch (IOException e) {
            throw failed(id, e);
        }
    }

    /** Reads one of a job's other files as JSON; null if it is missing or incomplete. */
    public @Nullable JsonNode read(String id, String name) {
        try {
            JsonNode read = JSON.readTree(Files.readAllBytes(directory(id).resolve(name)));
            return read.isMissingNode() ? null : read;
        } catch (NoSuchFileException | JsonProcessingException e) {
            return null;
        } catch (IOException e) {
            throw failed(id, e);
        }
    }

    /** Reads the report that was saved with a job's final state, or null. */
    @Nullable
    JsonNode report(String id) {
        JsonNode job = read(id, RECORD);
        return job == null ? null : job.get(REPORT);
    }

    /** Reads the request of a job. */
    JsonNode spec(String id) {
        JsonNode spec = read(id, SPEC);
        if (spec == null) {
            throw new OperationFailedException(directory(id).resolve(SPEC) + " is missing or damaged");
        }
        return spec;
    }

    /**
     * Reads all jobs, and removes the remains of those that were being created or removed.
     *
     * @throws OperationFailedException if a job cannot be read: a job must not be lost because its file is damaged
     */
    List<JobRecord> all() {
        List<JobRecord> jobs = new ArrayList<>();
        if (catalog != null) {
            takeOver(catalog);
        } else if (isShared()) {
            throw new OperationFailedException(
                    root + ": has the jobs of a cluster, which another service may run, and no"
                            + " node of the cluster answers; start the service again when one does");
        }
        try (DirectoryStream<Path> directories = Files.newDirectoryStream(root, Files::isDirectory)) {
            for (Path directory : directories) {
                if (directory.getFileName().toString().startsWith(HIDDEN)) {
                    DurableFiles.deleteTree(directory);
                } else {
                    jobs.add(load(directory));
                }
            }
        } catch (IOException e) {
            throw new OperationFailedException(root + ": jobs cannot be read: " + e.getMessage(), e);
        }
        return jobs;
    }

    /** Makes the files those of the catalog's jobs. Jobs from before there was a catalog are added to it. */
    private void takeOver(JobCatalog others) {
        try {
            findUnanswered(others);
            cancelUnanswered(others);
        } catch (IOException e) {
            throw new OperationFailedException(root + ": jobs cannot be read: " + e.getMessage(), e);
        }
        Set<String> ids = new HashSet<>();
        for (JobsBody.Job job : others.all()) {
            ids.add(job.id());
            Path directory = directory(job.id());
            try {
                if (Files.exists(directory) && isOfAnother(job)) {
                    // It was of an earlier job, which another service has removed.
                    DurableFiles.deleteTree(directory);
                }
                if (!Files.exists(directory)) {
                    Path unfinished = root.resolve(HIDDEN + "taken");
                    writeNew(unfinished, utf8(job.spec()), utf8(job.record()));
                    Files.move(unfinished, directory, StandardCopyOption.ATOMIC_MOVE);
                } else if (!JSON.readTree(job.record()).equals(read(job.id(), RECORD))) {
                    replace(directory, RECORD, utf8(job.record()), true);
                }
            } catch (IOException e) {
                throw failed(job.id(), e);
            }
        }
        boolean shared = isShared();
        try (DirectoryStream<Path> directories = Files.newDirectoryStream(root, Files::isDirectory)) {
            for (Path directory : directories) {
                String id = directory.getFileName().toString();
                JsonNode record = id.startsWith(HIDDEN) || ids.contains(id) ? null : read(id, RECORD);
                if (shared && record != null) {
                    // Its removal was written, or its creation was not.
                    DurableFiles.deleteTree(directory);
                } else if (record != null) {
                    String spec = spec(id).toString();
                    // A catalog takes no later state of a job that it does not know.
                    others.put(new JobsBody.Job(
                            id,
                            ((ObjectNode) record.deepCopy()).put("version", 1).toString(),
                            spec));
                    others.put(new JobsBody.Job(id, record.toString(), spec));
                }
            }
            DurableFiles.writeAtomically(root.resolve(SHARED), new byte[0]);
            if (Files.isRegularFile(root.resolve(SHARED_BEFORE))) {
                Files.delete(root.resolve(SHARED_BEFORE));
            }
        } catch (IOException e) {
            throw new OperationFailedException(root + ": jobs cannot be read: " + e.getMessage(), e);
        }
    }

    private boolean isShared() {
        return Files.exists(root.resolve(SHARED)) || Files.isRegularFile(root.resolve(SHARED_BEFORE));
    }

    /** Whether the directory of a job's id has another job than that of a catalog. */
    private boolean isOfAnother(JobsBody.Job job) throws IOException {
        JsonNode found = read(job.id(), RECORD);
        return found != null
                && !JSON.treeToValue(found, JobRecord.class)
                        .created()
                        .equals(JSON.readValue(job.record(), JobRecord.class).created());
    }

    private static byte[] utf8(String json) {
        return json.getBytes(StandardCharsets.UTF_8);
    }

    private static JobRecord load(Path directory) {
        try {
            return JSON.readValue(Files.readAllBytes(directory.resolve(RECORD)), JobRecord.class);
        } catch (IOException e) {
            throw new OperationFailedException(
                    directory.resolve(RECORD) + " cannot be read: " + e.getMessage()
                            + "; move the directory away to go on without this job",
                    e);
        }
    }

    /** Number of finished jobs to keep: the memory of each node of a cluster has all jobs of a catalog. */
    int mostFinished() {
        return catalog == null ? MOST_FINISHED : MOST_SHARED;
    }

    void remove(JobRecord job) {
        Path hidden = root.resolve(HIDDEN + "old-" + job.number());
        try {
            if (catalog != null) {
                catalog.remove(new JobsBody.Job(job.id(), JSON.writeValueAsString(job), "{}"));
            }
            Files.move(directory(job.id()), hidden, StandardCopyOption.ATOMIC_MOVE);
            DurableFiles.deleteTree(hidden);
        } catch (NoSuchFileException e) {
            // An operator has removed it by hand.
            return;
        } catch (IOException e) {
            throw failed(job.id(), e);
        }
    }

    /** Writes the files of a job to a directory that gets its name later. */
    private static void writeNew(Path unfinished, byte[] spec, byte[] record) throws IOException {
        DurableFiles.deleteTree(unfinished);
        Files.createDirectory(unfinished);
        write(unfinished.resolve(SPEC), spec, true);
        write(unfinished.resolve(RECORD), record, true);
        DurableFiles.syncDirectory(unfinished);
    }

    private static void replace(Path directory, String name, byte[] content, boolean synced) throws IOException {
        Path unfinished = directory.resolve(HIDDEN + name);
        write(unfinished, content, synced);
        Files.move(unfinished, directory.resolve(name), StandardCopyOption.ATOMIC_MOVE);
    }

    private static void write(Path file, byte[] content, boolean synced) throws IOException {
        try (FileChannel channel = FileChannel.open(
                file, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
            ByteBuffer left = ByteBuffer.wrap(content);
            while (left.hasRemaining()) {
                channel.write(left);
            }
            if (synced) {
                channel.force(true);
            }
        }
    }

    private OperationFailedException failed(String id, IOException e) {
        return new OperationFailedException(
                "job " + id + " cannot be written in " + root + ": " + e + "; is the disk full?", e);
    }
}
