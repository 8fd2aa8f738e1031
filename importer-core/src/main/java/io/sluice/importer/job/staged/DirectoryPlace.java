package io.sluice.importer.job.staged;

import io.sluice.api.node.SstBytes;
import io.sluice.api.node.SstFile;
import io.sluice.importer.source.Parallel;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.Reasons;
import io.sluice.model.file.DurableFiles;
import io.sluice.model.file.LockFile;
import io.sluice.model.file.OwnerOnly;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A staged set in a directory.
 *
 * @param directory its directory
 */
record DirectoryPlace(Path directory) implements SetPlace {
    private static final int CHUNK_BYTES = 1 << 20;
    private static final int MOST_DELETIONS = 100;
    private static final String LOCK = "LOCK";
    private static final String WORK = "work";
    /** Suffix of a file that {@link DurableFiles} has not written to its end. */
    private static final String PART = ".part";

    @Override
    public String toString() {
        return directory.toString();
    }

    @Override
    public byte @Nullable [] read(String name, long most) {
        Path file = directory.resolve(name);
        try {
            if (Files.size(file) > most) {
                throw new BadInputException(file + ": is longer than " + most + " bytes, which no manifest is");
            }
            return Files.readAllBytes(file);
        } catch (NoSuchFileException e) {
            return null;
        } catch (IOException e) {
            throw new BadInputException(file + ": cannot be read: " + Reasons.ofFile(file, e), e);
        }
    }

    @Override
    public void write(String name, byte[] content) throws IOException {
        OwnerOnly.createDirectories(directory);
        DurableFiles.writeAtomically(directory.resolve(name), content);
    }

    @Override
    public SetPlace within(String name) {
        return new DirectoryPlace(directory.resolve(name));
    }

    @Override
    public boolean local() {
        return true;
    }

    @Override
    public SstFile sst(StagedManifest.Sst sst) {
        return sst.with(new SstBytes.OnDisk(directory.resolve(sst.file()), sst.crc()));
    }

    @Override
    public List<String> problems(StagedManifest manifest, Comparison comparison, int threads) {
        return SetPlace.together(Parallel.map(manifest.ssts(), threads, sst -> problem(sst, comparison)));
    }

    private List<String> problem(StagedManifest.Sst sst, Comparison comparison) {
        Path file = directory.resolve(sst.file());
        if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            return List.of(sst.missing());
        }
        if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            return List.of(sst.problem("not a regular file"));
        }
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
            if (channel.size() != sst.bytes()) {
                return List.of(sst.otherLength(channel.size()));
            }
            if (!comparison.reads(sst)) {
                return List.of();
            }
            CRC32C crc = new CRC32C();
            ByteBuffer chunk = ByteBuffer.allocate(CHUNK_BYTES);
            while (channel.read(chunk) >= 0) {
                comparison.read(chunk.position());
                crc.update(chunk.flip());
                chunk.clear();
            }
            return SetPlace.agreed(sst, (int) crc.getValue(), comparison);
        } catch (IOException e) {
            return List.of(sst.problem("cannot be read: " + e.getMessage()));
        }
    }

    @Override
    public Claim claim() throws IOException {
        OwnerOnly.createDirectories(directory);
        refuseOthersFiles();
        FileChannel lock = OwnerOnly.open(
                directory.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        try {
            if (!LockFile.lock(lock) || !LockFile.isAt(directory.resolve(LOCK), lock)) {
                throw new BadInputException(directory + ": another process builds a set there; wait until it ends");
            }
        } catch (IOException | RuntimeException e) {
            lock.close();
            throw e;
        }
        return new Locked(lock);
    }

    /** A build removes remains, so it must not begin in a directory with anything else. */
    private void refuseOthersFiles() throws IOException {
        for (Path file : DurableFiles.list(directory)) {
            if (!isOurs(String.valueOf(file.getFileName()))) {
                throw new BadInputException(directory + ": holds " + file.getFileName()
                        + ", which is not of a staged set; name a new or empty directory");
            }
        }
    }

    private static boolean isOurs(String name) {
        return name.equals(LOCK) || name.equals(WORK) || name.equals(ManifestFile.NAME) || isRemains(name);
    }

    /** Whether a file is of a build without a manifest: an SST, or a file that was not written to its end. */
    private static boolean isRemains(String name) {
        String whole = name.endsWith(PART) ? name.substring(0, name.length() - PART.length()) : name;
        return name.equals(ManifestFile.NAME + PART) || StagedManifest.isSst(whole);
    }

    /**
     * SSTs stay in the temporary directory of the build until the driver moves them.
     *
     * @param work the temporary directory
     */
    private record Shared(String work) implements Share {
        private static final long serialVersionUID = 1L;

        @Override
        public Path directory(String attempt, Path local) {
            return Path.of(work, attempt);
        }

        @Override
        public void put(SstFile sst) {}
    }

    /** The directory, locked by this process. */
    private final class Locked implements Claim {
        private final FileChannel lock;

        Locked(FileChannel lock) {
            this.lock = lock;
        }

        @Override
        public void begin() throws IOException {
            for (Path file : DurableFiles.list(directory)) {
                if (isRemains(String.valueOf(file.getFileName()))) {
                    Files.delete(file);
                }
            }
            DurableFiles.deleteTree(workDirectory());
            OwnerOnly.createDirectories(workDirectory());
        }

        @Override
        public Path workDirectory() {
            return directory.resolve(WORK);
        }

        @Override
        public SstFile put(SstFile sst) throws IOException {
            int crc32c = sst.bytes().crc32c();
            Path file = directory.resolve(sst.id() + SST);
            OwnerOnly.restrictFile(sst.path());
            DurableFiles.move(sst.path(), file);
            return sst.with(new SstBytes.OnDisk(file, crc32c));
        }

        /** The directory itself, which the other processes must share. */
        @Override
        public Share share() {
            return new Shared(workDirectory().toAbsolutePath().toString());
        }

        @Override
        public SstFile putShared(SstFile sst) throws IOException {
            return put(sst);
        }

        /** A manifest that was put in place is never left without its SSTs. */
        @Override
        public void remove(List<SstFile> ssts) throws IOException {
            if (!Files.exists(directory.resolve(ManifestFile.NAME))) {
                for (SstFile sst : ssts) {
                    Files.deleteIfExists(sst.path());
                }
            }
        }

        @Override
        public void publish(byte[] manifest, List<SstFile> ssts) throws IOException {
            DurableFiles.syncDirectory(directory);
            DurableFiles.writeAtomically(directory.resolve(ManifestFile.NAME), manifest);
        }

        @Override
        public void close() throws IOException {
            try (lock) {
                deleteWork();
                Files.deleteIfExists(directory.resolve(LOCK));
            }
        }

        /** Other processes may still write there, each into a directory of its own; without it they fail. */
        private void deleteWork() throws IOException {
            for (int attempt = 1; ; attempt++) {
                try {
                    DurableFiles.deleteTree(workDirectory());
                    return;
                } catch (DirectoryNotEmptyException e) {
                    if (attempt == MOST_DELETIONS) {
                        throw e;
                    }
                }
            }
        }
    }
}
