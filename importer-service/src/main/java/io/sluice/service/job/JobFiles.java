package io.sluice.service.job;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.file.DurableFiles;
import io.sluice.model.file.OwnerOnly;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The files of jobs, in one directory per job. {@code job.json} is replaced and synced with every state change.
 * {@code spec.json} is the request with its credentials, and never changes. Other files are written without a sync: a
 * power failure may lose them, and readers then treat them as missing.
 */
public final class JobFiles {
    private static final String RECORD = "job.json";
    /** Member of {@code job.json} with the report of a job that succeeded. */
    private static final String REPORT = "report";

    private static final String SPEC = "spec.json";
    /** Name prefix of directories that are being created or removed; no job id has it. */
    private static final String HIDDEN = ".";

    private static final JsonMapper JSON = new JsonMapper();

    private final Path root;

    /**
     * Opens the files of jobs.
     *
     * @param root directory, created if missing; only its owner can read it
     */
    public JobFiles(Path root) {
        this.root = root;
        try {
            OwnerOnly.createDirectories(root);
            OwnerOnly.restrict(root);
        } catch (IOException e) {
            throw new OperationFailedException(root + ": jobs cannot be kept here: " + e.getMessage(), e);
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
            DurableFiles.deleteTree(unfinished);
            Files.createDirectory(unfinished);
            write(unfinished.resolve(SPEC), JSON.writeValueAsBytes(spec), true);
            write(unfinished.resolve(RECORD), JSON.writeValueAsBytes(job), true);
            DurableFiles.syncDirectory(unfinished);
            if (Files.exists(directory(job.id()))) {
                DurableFiles.deleteTree(unfinished);
                return false;
            }
            Files.move(unfinished, directory(job.id()), StandardCopyOption.ATOMIC_MOVE);
            DurableFiles.syncDirectory(root);
            return true;
        } catch (FileAlreadyExistsException e) {
            return false;
        } catch (IOException e) {
            throw failed(job.id(), e);
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

    /** Removes a job with its files. */
    void remove(JobRecord job) {
        Path hidden = root.resolve(HIDDEN + "old-" + job.number());
        try {
            Files.move(directory(job.id()), hidden, StandardCopyOption.ATOMIC_MOVE);
            DurableFiles.deleteTree(hidden);
        } catch (IOException e) {
            throw failed(job.id(), e);
        }
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
