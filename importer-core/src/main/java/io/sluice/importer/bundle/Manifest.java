package io.sluice.importer.bundle;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.sluice.importer.decode.input.InputFormat;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.Reasons;
import io.sluice.model.file.OwnerOnly;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The manifest of a bundle, {@code manifest.json}.
 *
 * @param version version of this format, {@value #VERSION}
 * @param sluice version of Sluice that wrote it
 * @param state outcome of the import
 * @param imported source and target of the import
 * @param content the rejects in the bundle
 * @param job the import's id if it can be resumed
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record Manifest(
        int version,
        String sluice,
        State state,
        @JsonUnwrapped Imported imported,
        @JsonUnwrapped Content content,
        @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable UUID job) {
    static final int VERSION = 1;
    static final String FILE = "manifest.json";
    static final String NEW_FILE = FILE + ".new";

    private static final JsonMapper JSON =
            JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

    /** Outcome of the import that wrote a bundle. */
    public enum State {
        /** The import is running, or its process died. */
        @JsonProperty("open")
        OPEN,
        /** The table was published without the rejects. */
        @JsonProperty("imported")
        IMPORTED,
        /** Nothing was imported. */
        @JsonProperty("failed")
        FAILED,
        /** The import was a dry run. */
        @JsonProperty("dry_run")
        DRY_RUN
    }

    /**
     * Source and target of an import.
     *
     * @param mode mode of the import
     * @param table name of the table
     * @param schema DDL that declares the table
     * @param input format of the data files; see {@link FormatJson}
     */
    public record Imported(String mode, String table, String schema, JsonNode input) {}

    /**
     * The rejects in a bundle.
     *
     * @param rejects number of rejects
     * @param cut number of rejects that were too long for the data files
     * @param data the files with the records
     */
    public record Content(long rejects, long cut, List<Data> data) {}

    /**
     * One file with records.
     *
     * @param file name in the bundle
     * @param records number of records
     * @param bytes length of the file
     */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Data(String file, long records, long bytes) {}

    static Manifest of(
            BundleSettings settings, String mode, String table, InputFormat format, @Nullable BundleJob job) {
        return new Manifest(
                VERSION,
                settings.version(),
                State.OPEN,
                new Imported(mode, table, settings.schema(), FormatJson.write(format)),
                new Content(0, 0, List.of()),
                job == null ? null : job.id());
    }

    Manifest ended(State newState, Content newContent) {
        return new Manifest(version, sluice, newState, imported, newContent, job);
    }

    /** Replaces the manifest atomically. */
    void write(Path directory) throws IOException {
        prepare(directory);
        putInPlace(directory);
    }

    /** Writes and syncs the new manifest beside the present one. */
    void prepare(Path directory) throws IOException {
        try (FileChannel channel = OwnerOnly.open(
                directory.resolve(NEW_FILE),
                StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.WRITE)) {
            ByteBuffer bytes = ByteBuffer.wrap(JSON.writeValueAsBytes(this));
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            channel.force(true);
        }
    }

    /** Replaces the manifest by the prepared one, atomically and without needing disk space. */
    static void putInPlace(Path directory) throws IOException {
        Files.move(directory.resolve(NEW_FILE), directory.resolve(FILE), StandardCopyOption.ATOMIC_MOVE);
    }

    /** Whether a file is the rest of an interrupted write. The first write of a manifest precedes all other files. */
    static boolean isUnfinishedWrite(Path file) {
        return file.endsWith(NEW_FILE);
    }

    /** A member without which a bundle cannot be read, and which the file does not have; null if all are there. */
    @SuppressWarnings("ConstantValue") // Jackson leaves out what the file does not have
    private @Nullable String missing() {
        if (state == null) {
            return "state";
        }
        if (imported == null || imported.table() == null || imported.schema() == null || imported.input() == null) {
            return "table, schema or input";
        }
        boolean data = content != null
                && content.data() != null
                && content.data().stream().allMatch(each -> each != null && each.file() != null);
        return data ? null : "data with the name of each file";
    }

    static Manifest read(Path directory) {
        Path file = directory.resolve(FILE);
        @Nullable Manifest manifest;
        try {
            manifest = JSON.readValue(Files.readAllBytes(file), Manifest.class);
        } catch (NoSuchFileException e) {
            throw new BadInputException(
                    directory + ": is no reject bundle: there is no " + FILE + "; name what --rejects named", e);
        } catch (JacksonException e) {
            throw new BadInputException(file + ": is no manifest of a reject bundle: " + Reasons.plain(e), e);
        } catch (IOException e) {
            throw new BadInputException(file + ": cannot be read: " + Reasons.ofFile(file, e), e);
        }
        if (manifest == null) {
            throw new BadInputException(file + ": is no manifest of a reject bundle: it is null");
        }
        if (manifest.version != VERSION) {
            throw new BadInputException(file + ": this version of Sluice reads bundles of version " + VERSION
                    + ", and this one has version " + manifest.version);
        }
        String missing = manifest.missing();
        if (missing != null) {
            throw new BadInputException(file + ": is no manifest of a reject bundle: it has no member " + missing);
        }
        return manifest;
    }
}
