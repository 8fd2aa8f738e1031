package io.sluice.importer.job.staged;

import io.sluice.api.node.SstFile;
import io.sluice.importer.source.Parallel;
import io.sluice.importer.source.remote.S3Settings;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The place of a staged set: a directory, or a prefix in an object store. Its text is its address for messages.
 * Thread-safe.
 */
public sealed interface SetPlace permits DirectoryPlace, ObjectPlace {
    /** Suffix of the files of SSTs; the name before it is the SST's id. */
    String SST = ".sst";

    /**
     * The place that an argument names.
     *
     * @param address {@code s3://BUCKET/PREFIX}, or a directory
     * @throws BadInputException if it is another address
     */
    static SetPlace of(String address, S3Settings s3) {
        if (address.startsWith("s3://")) {
            return new ObjectPlace(address, s3);
        }
        if (address.matches("[A-Za-z][A-Za-z0-9+.-]+://.*")) {
            throw new BadInputException(address + ": a staged set is in a directory or at s3://BUCKET/PREFIX");
        }
        if (address.isEmpty()) {
            throw new BadInputException("the place of the staged set is empty; name a directory or s3://BUCKET/PREFIX");
        }
        return of(Path.of(address));
    }

    static SetPlace of(Path directory) {
        return new DirectoryPlace(directory);
    }

    /**
     * The bytes of a file of the place; null if there is none.
     *
     * @throws BadInputException if it cannot be read, or is longer than {@code most}
     */
    byte @Nullable [] read(String file, long most);

    /** Writes a file of the place, whole or not at all, and durably. */
    void write(String file, byte[] content) throws IOException;

    /** The place of that name within this one. */
    SetPlace within(String name);

    /** Whether SSTs are files of this machine, which can be read where they are. */
    boolean local();

    /** An SST of the set, where it is. */
    SstFile sst(StagedManifest.Sst sst);

    /**
     * Compares what is there with the manifest: the lengths of all files, and the content of some.
     *
     * @param threads number of threads that read
     * @return one line per file that is missing, shorter, longer or damaged
     * @throws OperationFailedException if the place does not answer, so that the state of files is unknown
     */
    List<String> problems(StagedManifest manifest, Comparison comparison, int threads);

    /**
     * The problems of all files.
     *
     * @throws OperationFailedException if some could not be compared
     */
    static List<String> together(List<Parallel.Found<String>> files) {
        List<String> problems = new ArrayList<>();
        List<OperationFailedException> failures = new ArrayList<>();
        for (Parallel.Found<String> file : files) {
            problems.addAll(file.results());
            if (file.problem() instanceof OperationFailedException failure) {
                failures.add(failure);
            } else if (file.problem() != null) {
                problems.add(String.valueOf(file.problem().getMessage()));
            }
        }
        if (!failures.isEmpty()) {
            OperationFailedException first = failures.get(0);
            throw new OperationFailedException(
                    first.getMessage() + "\n" + failures.size() + " of " + files.size()
                            + " files could not be compared with the manifest; "
                            + (problems.isEmpty()
                                    ? "no other one is damaged"
                                    : "others are damaged or missing:\n" + String.join("\n", problems)),
                    first);
        }
        return problems;
    }

    /** The problem of an SST that was read; none if its checksum is that of the manifest. */
    static List<String> agreed(StagedManifest.Sst sst, int crc32c, Comparison comparison) {
        if (crc32c != sst.crc()) {
            return List.of(sst.damaged(crc32c));
        }
        comparison.whole(sst);
        return List.of();
    }

    /** The reads of a comparison with the manifest. Several threads call it. */
    interface Comparison {
        /** Whether the content of an SST is read. */
        boolean reads(StagedManifest.Sst sst);

        /** Called when some bytes were read, with their number. */
        default void read(long bytes) {}

        /** Called when an SST was read and agrees with the manifest. */
        default void whole(StagedManifest.Sst sst) {}
    }

    /**
     * Claims the place for a build.
     *
     * @throws BadInputException if another process builds there, or there is something that is not of a staged set
     * @throws IOException if the place cannot be used
     */
    Claim claim() throws IOException;

    /** The part of a claim that other processes have, such as executors of Spark. */
    interface Share extends Serializable {
        /**
         * Directory for the SSTs of one attempt of a task.
         *
         * @param attempt name of the attempt, which no other one has
         * @param local directory of this process for temporary files
         */
        Path directory(String attempt, Path local);

        /**
         * Puts a finished SST to where {@link Claim#putShared} finds it.
         *
         * @throws OperationFailedException if the claim has ended; nothing is left of the SST
         */
        void put(SstFile sst) throws IOException;
    }

    /** The right to build at a place. Closing it gives the right up, and removes temporary files. */
    interface Claim extends AutoCloseable {
        /**
         * Removes what an unfinished build has left. Call it only if there is no manifest.
         *
         * @throws BadInputException if another build has come first
         */
        void begin() throws IOException;

        /** Directory for temporary files; there from {@link #begin} on. */
        Path workDirectory();

        /**
         * Takes a finished SST and its file into the set.
         *
         * @return the SST where it is now
         */
        SstFile put(SstFile sst) throws IOException;

        /** Lets other processes write SSTs; closing the claim removes those that are not in the published set. */
        Share share();

        /**
         * Takes an SST that a {@link Share} has put into the set.
         *
         * @return the SST where it is now
         */
        SstFile putShared(SstFile sst) throws IOException;

        /** Removes SSTs of a build that failed, unless there is a manifest. */
        void remove(List<SstFile> ssts) throws IOException;

        /** Writes the manifest, whole or not at all, when everything else is durable. */
        void publish(byte[] manifest, List<SstFile> ssts) throws IOException;

        @Override
        void close() throws IOException;
    }
}
