package io.sluice.importer.job.staged;

import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.error.Reasons;
import io.sluice.model.file.OwnerOnly;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.Set;

/**
 * The SSTs of a set that were read and agree with its manifest, in a file: a line that names the set, and a line with
 * the name of each SST. So it is bounded by the manifest, some 40 bytes per SST. A line without its end counts for
 * nothing. Thread-safe.
 */
final class VerifiedSsts implements SetPlace.Comparison, AutoCloseable {
    private static final String HEAD = "sluice verify, format 1, set ";

    /** Longest checkpoint: 64 MiB, enough for a million SSTs, which a manifest may have. */
    private static final long MOST_BYTES = 64L << 20;

    private final Path file;
    private final FileChannel out;
    private final Set<String> verified;

    private VerifiedSsts(Path file, FileChannel out, Set<String> verified) {
        this.file = file;
        this.out = out;
        this.verified = verified;
    }

    /**
     * Opens a checkpoint, or creates one.
     *
     * @throws BadInputException if it is of another set, or cannot be written
     */
    static VerifiedSsts open(Path file, StagedManifest manifest) {
        String head = HEAD + manifest.id();
        try {
            boolean there = Files.exists(file);
            if (there && Files.size(file) > MOST_BYTES) {
                throw notOf(file);
            }
            String text = there ? Files.readString(file) : "";
            String whole = text.substring(0, text.lastIndexOf('\n') + 1);
            // Without the end of its first line it names no SST.
            boolean isNew = whole.isEmpty() && head.startsWith(text);
            Set<String> lines = new HashSet<>(whole.lines().toList());
            if (!isNew && !lines.remove(head)) {
                throw notOf(file);
            }
            FileChannel out = OwnerOnly.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            VerifiedSsts opened = new VerifiedSsts(file, out, lines);
            int bytes = whole.getBytes(StandardCharsets.UTF_8).length;
            out.truncate(bytes).position(bytes);
            if (isNew) {
                opened.append(head);
            }
            return opened;
        } catch (IOException e) {
            throw Reasons.ofPlace(file + ": cannot be used as a checkpoint: " + Reasons.ofFile(file, e), e);
        }
    }

    private static BadInputException notOf(Path file) {
        return new BadInputException(
                file + ": is no checkpoint of this set; name a new file, or remove this one to verify all files");
    }

    @Override
    public boolean reads(StagedManifest.Sst sst) {
        return !verified.contains(sst.file());
    }

    @Override
    public void whole(StagedManifest.Sst sst) {
        try {
            append(sst.file());
        } catch (IOException e) {
            throw new OperationFailedException(
                    file + ": the checkpoint cannot be written: " + Reasons.ofFile(file, e), e);
        }
    }

    private synchronized void append(String line) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap((line + '\n').getBytes(StandardCharsets.UTF_8));
        while (bytes.hasRemaining()) {
            out.write(bytes);
        }
    }

    /** Removes the file, since the set is whole. */
    void remove() {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw new OperationFailedException(
                    file + ": the checkpoint cannot be removed: " + Reasons.ofFile(file, e), e);
        }
    }

    @Override
    public void close() {
        try {
            out.close();
        } catch (IOException e) {
            throw new OperationFailedException(
                    file + ": the checkpoint cannot be closed: " + Reasons.ofFile(file, e), e);
        }
    }
}
