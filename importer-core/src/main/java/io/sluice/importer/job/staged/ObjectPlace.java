package io.sluice.importer.job.staged;

import io.sluice.api.node.SstBytes;
import io.sluice.api.node.SstFile;
import io.sluice.importer.source.Parallel;
import io.sluice.importer.source.remote.ObjectFolder;
import io.sluice.importer.source.remote.S3Settings;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.file.DurableFiles;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.LongConsumer;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import java.util.zip.CheckedInputStream;
import java.util.zip.CheckedOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * A staged set in an object store: the objects below a prefix. An object is there whole or not at all.
 *
 * <p>Object stores have no locks, so of several builds at one place the last one that began wins:
 *
 * <ol>
 *   <li>a build that finds no manifest writes a token of its own to the object {@code LOCK}
 *   <li>it lists the place again: if there is a manifest now, it ends; otherwise it removes all SSTs
 *   <li>before and after it writes an SST, it reads the token; if that is another's, it removes the SST and ends
 *   <li>it writes the manifest and reads the token once more; if that is another's, it removes the manifest and ends
 * </ol>
 *
 * <p>Of two builds, one writes its token after the other one. Either it sees the other's manifest in step 2, or the
 * other one sees its token in step 4: a manifest that stays names SSTs that stay. This needs a store in which a read
 * sees all writes before it, as that of S3 does.
 */
final class ObjectPlace implements SetPlace {
    private static final String TOKEN = "LOCK";
    private static final int TOKEN_BYTES = 64;
    /** A node reads at once; an SST of 64 MiB at the least speed of an upload, 64 KiB/s, takes 17 minutes. */
    private static final Duration ADDRESS_VALID = Duration.ofHours(1);

    private static final int CHUNK_BYTES = 64 << 10;

    private final ObjectFolder folder;

    /** @param address {@code s3://BUCKET/PREFIX} */
    ObjectPlace(String address, S3Settings settings) {
        folder = new ObjectFolder(address, settings);
    }

    @Override
    public String toString() {
        return folder.toString();
    }

    @Override
    public byte @Nullable [] manifest(long most) {
        return folder.read(StagedManifest.FILE, most);
    }

    @Override
    public boolean local() {
        return false;
    }

    @Override
    public SstFile sst(StagedManifest.Sst sst) {
        return sst.with(new SstBytes.InStore(new Stored(sst), sst.crc()));
    }

    /** An SST of the set. */
    private final class Stored implements SstBytes.StoredObject {
        private final StagedManifest.Sst sst;

        Stored(StagedManifest.Sst sst) {
            this.sst = sst;
        }

        @Override
        public URI address() {
            return folder.presigned(sst.file(), ADDRESS_VALID);
        }

        @Override
        public void copyTo(Path file) throws IOException {
            try {
                CRC32C crc = new CRC32C();
                try (InputStream in = folder.open(sst.file(), sst.bytes());
                        OutputStream out = new CheckedOutputStream(
                                Files.newOutputStream(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                                crc)) {
                    in.transferTo(out);
                }
                if ((int) crc.getValue() != sst.crc()) {
                    throw new BadInputException(ObjectPlace.this + ": the set does not agree with its manifest, and"
                            + " nothing was ingested:\n" + sst.damaged((int) crc.getValue()));
                }
            } catch (IOException | RuntimeException e) {
                Files.deleteIfExists(file);
                throw e;
            }
        }

        @Override
        public String toString() {
            return folder.address(sst.file());
        }
    }

    @Override
    public List<String> problems(StagedManifest manifest, boolean content, int threads, LongConsumer read) {
        Map<String, Long> lengths = folder.list();
        return Parallel.map(manifest.ssts(), threads, sst -> problem(sst, lengths.get(sst.file()), content, read))
                .stream()
                .flatMap(found -> found.problem() == null
                        ? found.results().stream()
                        : Stream.of(String.valueOf(found.problem().getMessage())))
                .toList();
    }

    private List<String> problem(StagedManifest.Sst sst, @Nullable Long length, boolean content, LongConsumer read) {
        if (length == null) {
            return List.of(sst.missing());
        }
        if (length != sst.bytes()) {
            return List.of(sst.otherLength(length));
        }
        if (!content) {
            return List.of();
        }
        CRC32C crc = new CRC32C();
        try (InputStream in = new CheckedInputStream(folder.open(sst.file(), sst.bytes()), crc)) {
            byte[] chunk = new byte[CHUNK_BYTES];
            for (int n = in.read(chunk); n >= 0; n = in.read(chunk)) {
                read.accept(n);
            }
        } catch (IOException e) {
            return List.of(sst.problem("cannot be read: " + e.getMessage()));
        }
        return (int) crc.getValue() == sst.crc() ? List.of() : List.of(sst.damaged((int) crc.getValue()));
    }

    @Override
    public Claim claim() {
        for (String name : folder.list().keySet()) {
            if (!name.equals(TOKEN) && !name.equals(StagedManifest.FILE) && !StagedManifest.isSst(name)) {
                throw new BadInputException(
                        "--output " + this + ": holds " + name + ", which is not of a staged set; name another prefix");
            }
        }
        return new Held(UUID.randomUUID().toString().getBytes(StandardCharsets.US_ASCII));
    }

    /** The place, held by the build whose token is there. */
    private final class Held implements Claim {
        private final byte[] token;
        private @Nullable Path work;

        Held(byte[] token) {
            this.token = token;
        }

        @Override
        public void begin() throws IOException {
            folder.put(TOKEN, token);
            Set<String> there = folder.list().keySet();
            if (there.contains(StagedManifest.FILE)) {
                throw new BadInputException(
                        ObjectPlace.this + ": another build has finished there just now; run the command again");
            }
            there.stream().filter(StagedManifest::isSst).forEach(folder::delete);
            work = Files.createTempDirectory("sluice-set-");
        }

        @Override
        public Path workDirectory() {
            Path directory = work;
            if (directory == null) {
                throw new IllegalStateException("the build has not begun");
            }
            return directory;
        }

        private boolean isHolder() {
            return Arrays.equals(token, folder.read(TOKEN, TOKEN_BYTES));
        }

        private OperationFailedException lost() {
            return new OperationFailedException(ObjectPlace.this + ": another build of a set has begun there, and this"
                    + " one ends; name another prefix, or build one set after the other");
        }

        @Override
        public SstFile put(SstFile sst) throws IOException {
            if (!isHolder()) {
                throw lost();
            }
            StagedManifest.Sst described = StagedManifest.Sst.of(sst, sst.sum(), "");
            folder.put(described.file(), sst.path());
            if (!isHolder()) {
                folder.delete(described.file());
                throw lost();
            }
            Files.delete(sst.path());
            return ObjectPlace.this.sst(described);
        }

        @Override
        public void remove(List<SstFile> ssts) {
            if (!folder.list().containsKey(StagedManifest.FILE)) {
                ssts.forEach(sst -> folder.delete(sst.id() + SST));
            }
        }

        @Override
        public void publish(byte[] manifest, List<SstFile> ssts) {
            if (!isHolder()) {
                throw lost();
            }
            Set<String> names = new HashSet<>();
            ssts.forEach(sst -> names.add(sst.id() + SST));
            for (Map.Entry<String, Long> object : folder.list().entrySet()) {
                if (StagedManifest.isSst(object.getKey()) && !names.remove(object.getKey())) {
                    folder.delete(object.getKey());
                }
            }
            if (!names.isEmpty()) {
                throw lost();
            }
            folder.put(StagedManifest.FILE, manifest);
            if (!isHolder()) {
                folder.delete(StagedManifest.FILE);
                throw lost();
            }
        }

        @Override
        public void close() throws IOException {
            Path directory = work;
            if (directory == null) {
                return;
            }
            DurableFiles.deleteTree(directory);
            if (isHolder()) {
                folder.delete(TOKEN);
            }
        }
    }
}
