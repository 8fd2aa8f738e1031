package io.sluice.importer.bundle;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.sluice.importer.decode.Reject;
import io.sluice.importer.decode.RejectSink;
import io.sluice.importer.decode.input.DirectoryValues;
import io.sluice.importer.decode.input.InputFormat;
import io.sluice.importer.source.InputFile;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.error.Reasons;
import io.sluice.model.file.DurableFiles;
import io.sluice.model.file.OwnerOnly;
import io.sluice.model.schema.TableDef;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * Writes a bundle while its import runs. Closing completes the bundle, whatever the outcome of the import. After a
 * crash its manifest says that it is open. Usable by several threads.
 */
public final class BundleWriter implements RejectSink, AutoCloseable {
    static final String REJECTS = "rejects.jsonl";
    private static final String DATA = "rejects";

    /** A directory with a number that the command has given it. */
    private static final Pattern NUMBERED = Pattern.compile("(.+-)(\\d{1,8})");

    /** Most directories to try when other imports have the first ones. */
    private static final int MOST_TRIES = 10_000;

    private static final JsonMapper JSON = JsonMapper.builder()
            .disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET)
            .build();

    private final Path directory;
    private final TableDef table;
    private final Manifest begun;
    private final FormatJson.Layout layout;
    private final OutputStream list;

    /** All data files, in the order of their first records. */
    private final List<DataFile> files = new ArrayList<>();
    /** The file that takes the next record of a kind. */
    private final Map<Kind, DataFile> open = new HashMap<>();

    private @Nullable DataFile current;
    private Manifest.State state = Manifest.State.FAILED;
    /** Number of records by reason; there are some twenty codes. */
    private final Map<String, Long> reasons = new TreeMap<>();

    private long rejects;
    private long cut;
    /** Whether everything is written except the final rename of the manifest. */
    private boolean prepared;
    /** Number of rejects that are synced. */
    private long synced;

    /** The rejects of earlier attempts, or null. */
    private final @Nullable KeptRejects kept;
    /** Names that several inputs of a resumable import have. */
    private final Set<String> sharedNames;

    /**
     * The records that are in one data file.
     *
     * @param path directories that fill columns of the records ({@link DirectoryValues}), with a slash at the end
     * @param header header of the records' file; empty if it has none
     */
    private record Kind(String path, ByteBuffer header) {}

    private BundleWriter(
            Path directory,
            TableDef table,
            Manifest begun,
            FormatJson.Layout layout,
            Set<String> sharedNames,
            @Nullable KeptRejects kept)
            throws IOException {
        this.table = table;
        this.sharedNames = sharedNames;
        this.kept = kept;
        this.directory = directory;
        this.begun = begun;
        this.layout = layout;
        begun.write(directory);
        list = kept == null ? newList(directory) : DataFile.appending(directory.resolve(REJECTS));
        if (kept != null) {
            rejects = kept.rejects();
            cut = kept.cut();
            reasons.putAll(kept.reasons());
            for (KeptRejects.KeptFile file : kept.files(directory)) {
                Kind kind = new Kind(file.path(), ByteBuffer.wrap(file.header()));
                DataFile data = new DataFile(file.data());
                files.add(data);
                if (layout.ends(file.last())) {
                    open.put(kind, data);
                } else {
                    open.remove(kind);
                }
            }
        }
    }

    /** Creates the list of rejects. It is there already if another import has begun a bundle since the check. */
    private static OutputStream newList(Path directory) throws IOException {
        try {
            return DataFile.created(directory.resolve(REJECTS));
        } catch (FileAlreadyExistsException e) {
            throw new BadInputException(
                    "--rejects " + directory + ": another import writes its rejects there; name a new directory", e);
        }
    }

    /**
     * Creates a bundle, or continues that of a resumed import. If the command has chosen the directory and another one
     * has it, the bundle is in the next one that is free.
     *
     * @param mode mode of the import, for the manifest
     * @param job the import if it can be resumed, whose bundle is continued; or null
     * @throws BadInputException when the directory cannot be created or holds other files, or when rejects of earlier
     *     attempts are missing
     */
    public static BundleWriter create(
            BundleSettings settings, String mode, TableDef table, InputFormat format, @Nullable BundleJob job) {
        Path directory = settings.directory();
        try {
            if (settings.byDefault() && job == null) {
                directory = createFree(directory);
            } else {
                OwnerOnly.createDirectories(directory);
            }
            Manifest begun = Manifest.of(settings, mode, table.name(), format, job);
            FormatJson.Layout layout = FormatJson.Layout.of(format);
            Set<String> shared = job == null ? Set.of() : job.sharedNames();
            if (job != null && isOf(directory, job.id())) {
                KeptRejects kept = KeptRejects.of(directory, job, layout.separator().length);
                return new BundleWriter(directory, table, begun, layout, shared, kept);
            }
            if (job != null && job.rejects() > 0) {
                throw new BadInputException(
                        "--rejects " + directory + ": the import is resumed, and " + job.rejects()
                                + " rejects of its earlier attempts are missing there; restore them, or import under another --job-id");
            }
            try (Stream<Path> entries = Files.list(directory)) {
                if (!entries.allMatch(Manifest::isUnfinishedWrite)) {
                    throw new BadInputException("--rejects " + directory + ": is not empty; name a new directory");
                }
            }
            return new BundleWriter(directory, table, begun, layout, shared, null);
        } catch (IOException e) {
            throw Reasons.ofPlace(
                    "--rejects " + directory + ": no directory can be written there: " + Reasons.ofFile(directory, e),
                    e);
        }
    }

    /** Creates a directory that no other import has: of this name, or with the next number at its end. */
    private static Path createFree(Path first) throws IOException {
        Path directory = first.toAbsolutePath();
        for (int tries = 0; tries < MOST_TRIES; tries++) {
            try {
                OwnerOnly.createDirectory(directory);
                return first.resolveSibling(directory.getFileName());
            } catch (FileAlreadyExistsException e) {
                directory = next(directory);
            } catch (NoSuchFileException e) {
                // The directory above is missing, or another import has removed it with its own bundle.
                OwnerOnly.createDirectories(directory.resolveSibling(""));
            }
        }
        throw new FileAlreadyExistsException(directory.toString());
    }

    private static Path next(Path directory) {
        String name = directory.getFileName().toString();
        Matcher numbered = NUMBERED.matcher(name);
        return directory.resolveSibling(
                numbered.matches() ? numbered.group(1) + (Integer.parseInt(numbered.group(2)) + 1) : name + "-2");
    }

    public Path directory() {
        return directory;
    }

    /** Whether a directory has the bundle of a resumable import. */
    public static boolean isOf(Path directory, @Nullable UUID importId) {
        return importId != null
                && Files.exists(directory.resolve(Manifest.FILE))
                && importId.equals(Manifest.read(directory).job());
    }

    /** Whether the bundle of a resumable import holds all rejects of its earlier attempts. */
    public static boolean holdsAll(BundleSettings settings, InputFormat format, BundleJob job) {
        Path directory = settings.directory();
        try {
            int separatorBytes = FormatJson.Layout.of(format).separator().length;
            return isOf(directory, job.id()) && KeptRejects.done(directory, job, separatorBytes) >= job.rejects();
        } catch (IOException e) {
            throw new OperationFailedException(
                    "the reject bundle " + directory + " cannot be read: " + Reasons.ofFile(directory, e), e);
        }
    }

    /**
     * Marks an import that another run has prepared as published in its bundle; without a prepared bundle nothing
     * happens.
     */
    public static void complete(Path directory) {
        try {
            if (Files.exists(directory.resolve(Manifest.NEW_FILE))) {
                Manifest.putInPlace(directory);
            }
        } catch (IOException e) {
            throw cannotWrite(directory, e);
        }
    }

    /** Whether a file of a bundle holds records. */
    static boolean isData(@Nullable Path name) {
        String text = String.valueOf(name);
        return text.startsWith(DATA) && !text.equals(REJECTS);
    }

    /** Adds records by reason. A captured row is a good record and counts as 0. */
    public static void count(Map<String, Long> reasons, String code, long records) {
        if (records > 0) {
            reasons.merge(code, records, Long::sum);
        }
    }

    /** Number of rejected records so far, by reason. */
    public synchronized Map<String, Long> reasons() {
        return new TreeMap<>(reasons);
    }

    /** Whether the bundle has no rejects. */
    public synchronized boolean isEmpty() {
        return rejects == 0;
    }

    /** Sets the final state of the import; the default is failed. A prepared bundle stays open for another run. */
    public void ended(Manifest.State newState) {
        state = newState;
    }

    /**
     * Completes the bundle of an import that is about to be published, except for the rename in {@link #published},
     * which needs no disk space. So errors come before the publication, and {@link #complete} can rename after a power
     * loss. No more rejects may come.
     */
    public synchronized void prepare() {
        try {
            writeRest();
            forceFiles();
            manifest(Manifest.State.IMPORTED).prepare(directory);
            DurableFiles.syncDirectory(directory);
            prepared = true;
        } catch (IOException e) {
            throw cannotWrite(e);
        }
    }

    /** Marks the import as published; the bundle is then complete. */
    public synchronized void published() {
        state = Manifest.State.IMPORTED;
        try {
            Manifest.putInPlace(directory);
        } catch (IOException e) {
            throw cannotWrite(e);
        }
    }

    private Manifest manifest(Manifest.State ended) {
        List<Manifest.Data> data = new ArrayList<>();
        files.forEach(file -> data.add(new Manifest.Data(file.name, file.records, file.bytes)));
        return begun.ended(ended, new Manifest.Content(rejects, cut, data));
    }

    /** A bundle has a data file even if it has no records. */
    private void writeRest() throws IOException {
        if (files.isEmpty()) {
            DataFile unused = data(kind("", null));
        }
        closeCurrent();
        list.flush();
    }

    /** Writes the buffers to the files. */
    private void flush() {
        try {
            list.flush();
            if (current != null) {
                current.flush();
            }
        } catch (IOException e) {
            throw cannotWrite(e);
        }
    }

    /** Syncs all rejects so far. */
    public synchronized void sync() {
        if (rejects == synced) {
            return;
        }
        flush();
        try {
            forceFiles();
            DurableFiles.syncDirectory(directory);
        } catch (IOException e) {
            throw cannotWrite(e);
        }
        synced = rejects;
    }

    /** Syncs the files, and the directories that have them: a new file may be missing after a power loss else. */
    private void forceFiles() throws IOException {
        DurableFiles.sync(directory.resolve(REJECTS));
        for (DataFile file : files) {
            Path path = directory.resolve(file.name);
            DurableFiles.sync(path);
            DurableFiles.syncDirectory(path.resolveSibling(""));
        }
    }

    @Override
    public synchronized void write(InputFile file, byte @Nullable [] header, long line, Reject reject) {
        if (kept != null
                && kept.takeRepeated(
                        file, sharedNames.contains(file.name()), reject.place().byteOffset())) {
            return;
        }
        try {
            rejects++;
            count(reasons, reject.problem().code(), reject.records());
            if (reject.cut()) {
                cut++;
                list(file, line, reject, null, 0);
                return;
            }
            Kind kind = kind(DirectoryValues.of(file).path(table), header);
            DataFile data = data(kind);
            long offset = data.bytes;
            byte[] record = Arrays.copyOf(reject.record(), reject.record().length + layout.separator().length);
            System.arraycopy(layout.separator(), 0, record, reject.record().length, layout.separator().length);
            data.write(record);
            data.records++;
            if (!layout.ends(record)) {
                open.remove(kind);
            }
            list(file, line, reject, data.name, offset);
        } catch (IOException e) {
            throw cannotWrite(e);
        }
    }

    private void list(InputFile file, long line, Reject reject, @Nullable String data, long offset) throws IOException {
        CRC32 crc = new CRC32();
        crc.update(reject.record());
        try (JsonGenerator json = JSON.createGenerator(list)) {
            json.writeStartObject();
            json.writeStringField("file", file.name());
            if (sharedNames.contains(file.name())) {
                json.writeNumberField(KeptRejects.INPUT, file.ordinal());
            }
            if (line > 0) {
                json.writeNumberField("line", line);
            }
            json.writeNumberField("byte", reject.place().byteOffset());
            if (reject.problem().field() > 0) {
                json.writeNumberField("field", reject.problem().field());
            }
            json.writeStringField("column", reject.problem().column());
            json.writeStringField("code", reject.problem().code());
            json.writeStringField("message", reject.problem().message());
            json.writeStringField("excerpt", reject.excerpt());
            json.writeBooleanField("cut", reject.cut());
            if (reject.records() != 1) {
                json.writeNumberField("records", reject.records());
            }
            Reject.Rival rival = reject.rival();
            if (rival != null) {
                list(json, rival);
            }
            if (data != null) {
                json.writeStringField("data", data);
                json.writeNumberField("offset", offset);
                json.writeNumberField("length", reject.record().length);
                json.writeNumberField("crc32", crc.getValue());
            }
            json.writeEndObject();
            json.writeRaw('\n');
        }
    }

    private static void list(JsonGenerator json, Reject.Rival rival) throws IOException {
        json.writeStringField("index", rival.index());
        json.writeStringField("key", rival.key());
        json.writeObjectFieldStart("other");
        json.writeStringField("file", rival.file());
        if (rival.line() > 0) {
            json.writeNumberField("line", rival.line());
        }
        if (rival.byteOffset() >= 0) {
            json.writeNumberField("byte", rival.byteOffset());
        }
        json.writeEndObject();
    }

    private static Kind kind(String path, byte @Nullable [] header) {
        return new Kind(path, ByteBuffer.wrap(header == null ? new byte[0] : header));
    }

    /**
     * The data file for the next record of a kind. Inputs come one after the other, so one file is open at a time. What
     * follows a record without an end, such as an open quote at the end of an input, has a file of its own: in the same
     * one it would be read as the rest of that record.
     */
    private DataFile data(Kind kind) throws IOException {
        DataFile file = open.get(kind);
        boolean isNew = file == null;
        if (file == null) {
            OwnerOnly.createDirectories(directory.resolve(kind.path));
            String number = files.isEmpty() ? "" : "-" + (files.size() + 1);
            file = new DataFile(kind.path + DATA + number + "." + layout.extension());
            files.add(file);
            open.put(kind, file);
        }
        if (file != current) {
            closeCurrent();
            file.open(directory);
            current = file;
        }
        byte[] header = new byte[kind.header.remaining()];
        kind.header.duplicate().get(header);
        if (isNew && header.length > 0) {
            file.write(header);
            boolean ended = header[header.length - 1] == '\n' || header[header.length - 1] == '\r';
            file.write(ended ? new byte[0] : layout.separator());
        }
        return file;
    }

    private void closeCurrent() throws IOException {
        if (current != null) {
            current.close();
            current = null;
        }
    }

    /** Removes the bundle with its directory, and the parent directory if it is empty then. */
    public void remove() {
        discard();
        try {
            Files.deleteIfExists(directory.resolve(Manifest.NEW_FILE));
            Files.deleteIfExists(directory);
            Path above = directory.toAbsolutePath().getParent();
            if (above != null) {
                Files.deleteIfExists(above);
            }
        } catch (DirectoryNotEmptyException e) {
            // It holds other bundles.
            return;
        } catch (IOException e) {
            throw cannotWrite(e);
        }
    }

    /** Removes all files, since the import starts over. */
    public void discard() {
        try (list) {
            closeCurrent();
        } catch (IOException e) {
            throw cannotWrite(e);
        }
        try {
            for (DataFile file : files) {
                Files.deleteIfExists(directory.resolve(file.name));
                removeEmpty(directory.resolve(file.name).getParent());
            }
            Files.deleteIfExists(directory.resolve(REJECTS));
            Files.deleteIfExists(directory.resolve(Manifest.FILE));
        } catch (IOException e) {
            throw cannotWrite(e);
        }
    }

    /** Removes directories without files, up to the bundle's own. */
    private void removeEmpty(@Nullable Path lowest) throws IOException {
        try {
            for (Path each = lowest; each != null && !each.equals(directory); each = each.getParent()) {
                Files.deleteIfExists(each);
            }
        } catch (DirectoryNotEmptyException e) {
            // It holds the files of other values.
            return;
        }
    }

    @Override
    public void close() {
        try (list) {
            if (prepared && (state == Manifest.State.IMPORTED || state == Manifest.State.OPEN)) {
                return;
            }
            writeRest();
            manifest(state).write(directory);
        } catch (IOException e) {
            throw cannotWrite(e);
        }
    }

    private OperationFailedException cannotWrite(IOException e) {
        return cannotWrite(directory, e);
    }

    private static OperationFailedException cannotWrite(Path directory, IOException e) {
        return new OperationFailedException(
                "the reject bundle " + directory + " cannot be written: " + Reasons.ofFile(directory, e), e);
    }
}
