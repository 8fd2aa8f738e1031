package io.sluice.cli.export;

import io.sluice.api.node.TableDigest;
import io.sluice.cli.output.Json;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The description of a finished export.
 *
 * @param digest rows and checksums of the table
 * @param format format of the files
 * @param columns names of the exported columns, in order
 * @param ddl the statements that create the table, after those of its interleave parents
 * @param importCommand the command that imports the files into a new store; null if columns are missing
 * @param files the files, in key order
 */
public record ExportManifest(
        TableDigest digest,
        ExportFormat format,
        List<String> columns,
        String ddl,
        @Nullable String importCommand,
        List<File> files) {
    private static final int VERSION = 1;

    /**
     * One file.
     *
     * @param name its name, without directory
     * @param crc32c CRC-32C of its bytes, eight hexadecimal digits
     */
    public record File(String name, long rows, long bytes, String crc32c) {}

    public ExportManifest {
        columns = List.copyOf(columns);
        files = List.copyOf(files);
    }

    /** Bytes of all files. */
    public long bytes() {
        return files.stream().mapToLong(File::bytes).sum();
    }

    /** The manifest as one JSON object on one line. */
    public String json() {
        return Json.object(json -> {
            json.writeNumberField("version", VERSION);
            json.writeStringField("table", digest.table());
            json.writeNumberField("rows", digest.rows());
            json.writeNumberField("bytes", bytes());
            json.writeStringField("digest", digest.digest());
            Json.kvs(json, digest.indexes());
            json.writeStringField("format", format.label());
            Json.texts(json, "columns", columns);
            json.writeStringField("ddl", ddl);
            json.writeStringField("import", importCommand);
            Json.objects(json, "files", files, file -> {
                json.writeStringField("name", file.name());
                json.writeNumberField("rows", file.rows());
                json.writeNumberField("bytes", file.bytes());
                json.writeStringField("crc32c", file.crc32c());
            });
        });
    }
}
