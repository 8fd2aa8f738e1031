package io.sluice.importer.bundle;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.sluice.api.error.BadInputException;
import io.sluice.api.file.OwnerOnly;
import io.sluice.importer.decode.input.InputFormat;
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
 * What a bundle says about itself, in {@code manifest.json}.
 *
 * @param version of this layout, {@value #VERSION}
 * @param sluice version of Sluice that wrote it
 * @param state what became of the import
 * @param mode how it went to the node
 * @param table name of the table
 * @param schema DDL that declares it
 * @param input how the data files are written; see {@link FormatJson}
 * @param rejects how many rejects the bundle has
 * @param cut how many of them were too long to be kept, so that they are in no data file
 * @param data the files with the records
 * @param job the import's id, when it can be resumed
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record Manifest(
        int version,
        String sluice,
        State state,
        String mode,
        String table,
        String schema,
        JsonNode input,
        long rejects,
        long cut,
        List<Data> data,
        @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable UUID job) {
    static final int VERSION = 1;
    static final String FILE = "manifest.json";
    private static final String NEW_FILE = FILE + ".new";

    private static final JsonMapper JSON =
            JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

    /** What became of the import that wrote a bundle. */
    public enum State {
        /** It is under way, or its process died. */
        @JsonProperty("open")
        OPEN,
        /** The table was published without the rejects. */
        @JsonProperty("imported")
        IMPORTED,
        /** Nothing was imported. */
        @JsonProperty("failed")
        FAILED,
        /** Nothing was to be imported. */
        @JsonProperty("dry_run")
        DRY_RUN
    }

    /**
     * One file with records.
     *
     * @param file its name in the bundle
     * @param records how many records it has
     * @param bytes its length
     */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Data(String file, long records, long bytes) {}

    static Manifest of(
            BundleSettings settings, String mode, String table, InputFormat format, @Nullable BundleJob job) {
        return new Manifest(
                VERSION,
                settings.version(),
                State.OPEN,
                mode,
                table,
                settings.schema(),
                FormatJson.write(format),
                0,
                0,
                List.of(),
                job == null ? null : job.id());
    }

    Manifest ended(State newState, long newRejects, long newCut, List<Data> newData) {
        return new Manifest(version, sluice, newState, mode, table, schema, input, newRejects, newCut, newData, job);
    }

    /** Writes it in place of what is there, in one step. */
    void write(Path directory) throws IOException {
        prepare(directory);
        putInPlace(directory);
    }

    /** Writes it beside what is there. */
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

    /** Puts the one that was prepared in place of what is there, in one step that needs no room on the disk. */
    static void putInPlace(Path directory) throws IOException {
        Files.move(directory.resolve(NEW_FILE), directory.resolve(FILE), StandardCopyOption.ATOMIC_MOVE);
    }

    static Manifest read(Path directory) {
        Path file = directory.resolve(FILE);
        Manifest manifest;
        try {
            manifest = JSON.readValue(Files.readAllBytes(file), Manifest.class);
        } catch (NoSuchFileException e) {
            throw new BadInputException(
                    directory + ": is no reject bundle: there is no " + FILE + "; name what --rejects named", e);
        } catch (IOException e) {
            throw new BadInputException(file + ": cannot be read: " + e.getMessage(), e);
        }
        if (manifest.version != VERSION) {
            throw new BadInputException(file + ": this version of Sluice reads bundles of version " + VERSION
                    + ", and this one has version " + manifest.version);
        }
        return manifest;
    }
}
