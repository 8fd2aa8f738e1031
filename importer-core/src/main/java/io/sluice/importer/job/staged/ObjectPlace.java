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
import java.util.concurrent.atomic.AtomicReference;
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
 * <p>Other processes of a build write SSTs by step 3. When the build ends, it changes the token, so that late ones end,
 * and removes what they have left.
 *
 * <p>Of two builds, one writes its token after the other one. Either it sees the other's manifest in step 2, or the
 * other one sees its token in step 4: a manifest that stays names SSTs that stay. This needs a store in which a read
 * sees all writes before it, as that of S3 does.
 *
 * <p>A build that is killed between its manifest and the removal of its token leaves {@code LOCK}. Nothing reads it
 * beside a manifest. No other build removes it, since it could be the token of a build that has just begun.
 */
final class ObjectPlace implements SetPlace {
    private static final String TOKEN = "LOCK";
    private static final int TOKEN_BYTES = 64;
    /** A node reads at once; an SST of 64 MiB at the least speed of an upload, 64 KiB/s, takes 17 minutes. */
    private static final Duration ADDRESS_VALID = Duration.ofHours(1);

    private static final int CHUNK_BYTES = 64 << 10;

    private final S3Settings settings;
    private final ObjectFolder folder;

    /** @param address {@code s3://BUCKET/PREFIX} */
    ObjectPlace(String address, S3Settings settings) {
        this.settings = settings;
        folder = new ObjectFolder(address, settings);
    }

    @Override
    public String toString() {
        return folder.toString();
    }

    @Override
    public byte @Nullable [] read(String name, long most) {
        return folder.read(name, most);
    }

    @Override
    public void write(String name, byte[] content) {
        folder.put(name, content);
    }

    @Override
    public SetPlace within(String name) {
        return new ObjectPlace(folder.address(name), settings);
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
    public List<String> problems(StagedManifest manifest, Comparison comparison, int threads) {
        Map<String, Long> lengths = folder.list();
        return SetPlace.together(
                Parallel.map(manifest.ssts(), threads, sst -> problem(sst, lengths.get(sst.file()), comparison)));
    }

    private List<String> problem(StagedManifest.Sst sst, @Nullable Long length, Comparison comparison) {
        if (length == null) {
            return List.of(sst.missing());
        }
        if (length != sst.bytes()) {
            return List.of(sst.otherLength(length));
        }
        if (!comparison.reads(sst)) {
            return List.of();
        }
        CRC32C crc = new CRC32C();
        try (InputStream in = new CheckedInputStream(folder.open(sst.file(), sst.bytes()), crc)) {
            byte[] chunk = new byte[CHUNK_BYTES];
            for (int n = in.read(chunk); n >= 0; n = in.read(chunk)) {
                comparison.read(n);
            }
        } catch (IOException e) {
            return List.of(sst.problem("cannot be read: " + e.getMessage()));
        }
        return SetPlace.agreed(sst, (int) crc.getValue(), comparison);
    }

    @Override
    public Claim claim() {
        for (String name : folder.list().keySet()) {
            if (!name.equals(TOKEN) && !name.equals(ManifestFile.NAME) && !StagedManifest.isSst(name)) {
                throw new BadInputException(
                        this + ": holds " + name + ", which is not of a staged set; name another prefix");
            }
        }
        return new Held(UUID.randomUUID().toString());
    }

    private void write(String token) {
        folder.put(TOKEN, token.getBytes(StandardCharsets.US_ASCII));
    }

    private boolean isHolder(String token) {
        return Arrays.equals(token.getBytes(StandardCharsets.US_ASCII), folder.read(TOKEN, TOKEN_BYTES));
    }

    private OperationFailedException lost() {
        return new OperationFailedException(this + ": another build of a set has begun there, and this"
                + " one ends; name another prefix, or build one set after the other");
    }

    /** Writes an SST if the token is there before and after, and removes its file. */
    private StagedManifest.Sst upload(SstFile sst, String token) throws IOException {
        if (!isHolder(token)) {
            throw lost();
        }
        StagedManifest.Sst described = StagedManifest.Sst.of(sst, sst.sum(), "");
        folder.put(described.file(), sst.path());
        if (!isHolder(token)) {
            folder.delete(described.file());
            throw lost();
        }
        Files.delete(sst.path());
        return described;
    }

    /**
     * Another process of the build. Each process has one client, of the build that it worked for last.
     *
     * @param token token of the build
     */
    private record Shared(String address, S3Settings settings, String token) implements Share {
        private static final long serialVersionUID = 1L;
        private static final AtomicReference<@Nullable ObjectPlace> LAST = new AtomicReference<>();

        @Override
        public Path directory(String attempt, Path local) {
            return local.resolve(attempt);
        }

        @Override
        public void put(SstFile sst) throws IOException {
            ObjectPlace place = LAST.get();
            if (place == null || !place.toString().equals(address) || !place.settings.equals(settings)) {
                place = new ObjectPlace(address, settings);
                LAST.set(place);
            }
            place.upload(sst, token);
        }
    }

    /** The place, held by the build whose token is there. */
    private final class Held implements Claim {
        private final String token;
        private final Set<String> published = new HashSet<>();
        private @Nullable Path work;
        private boolean shared;

        Held(String token) {
            this.token = token;
        }

        @Override
        public void begin() throws IOException {
            write(token);
            Set<String> there = folder.list().keySet();
            if (there.contains(ManifestFile.NAME)) {
                if (isHolder(token)) {
                    folder.delete(TOKEN);
                }
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

        @Override
        public SstFile put(SstFile sst) throws IOException {
            return sst(upload(sst, token));
        }

        @Override
        public Share share() {
            shared = true;
            return new Shared(ObjectPlace.this.toString(), settings, token);
        }

        @Override
        public SstFile putShared(SstFile sst) {
            return sst(StagedManifest.Sst.of(sst, sst.sum(), ""));
        }

        @Override
        public void remove(List<SstFile> ssts) {
            if (!folder.list().containsKey(ManifestFile.NAME)) {
                ssts.forEach(sst -> folder.delete(sst.id() + SST));
            }
        }

        @Override
        public void publish(byte[] manifest, List<SstFile> ssts) {
            if (!isHolder(token)) {
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
            folder.put(ManifestFile.NAME, manifest);
            if (!isHolder(token)) {
                folder.delete(ManifestFile.NAME);
                throw lost();
            }
            ssts.forEach(sst -> published.add(sst.id() + SST));
        }

        @Override
        public void close() throws IOException {
            Path directory = work;
            if (directory == null) {
                return;
            }
            DurableFiles.deleteTree(directory);
            if (!isHolder(token)) {
                return;
            }
            if (!shared || removeOthers()) {
                folder.delete(TOKEN);
            }
        }

        /**
         * Ends the writes of other processes, and removes the SSTs that are not in the published set.
         *
         * @return whether no other build has begun meanwhile
         */
        private boolean removeOthers() {
            String last = UUID.randomUUID().toString();
            write(last);
            Set<String> there = folder.list().keySet();
            // An SST of a build that begins after this is not in the list.
            if (!isHolder(last)) {
                return false;
            }
            if (!published.isEmpty() || !there.contains(ManifestFile.NAME)) {
                there.stream()
                        .filter(name -> StagedManifest.isSst(name) && !published.contains(name))
                        .forEach(folder::delete);
            }
            return isHolder(last);
        }
    }
}
