package io.sluice.importer.bundle;

import io.sluice.importer.decode.input.DirectoryValues;
import io.sluice.importer.decode.input.InputFormat;
import io.sluice.importer.source.Encoding;
import io.sluice.importer.source.InputFile;
import io.sluice.importer.source.InputFiles;
import io.sluice.importer.source.SourceSettings;
import io.sluice.importer.source.remote.S3Settings;
import io.sluice.model.error.BadInputException;
import io.sluice.model.schema.Ddl;
import io.sluice.model.schema.TableDef;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A complete reject bundle, to be imported again.
 *
 * @param directory directory of the bundle
 * @param manifest the bundle's manifest
 * @param table the table of the records
 * @param format format of the data files
 */
public record Bundle(Path directory, Manifest manifest, TableDef table, InputFormat format) {
    /** Advice to complete the bundle of an import that another run has published; part of a sentence. */
    public static final String HOW_TO_COMPLETE =
            "rename " + Manifest.NEW_FILE + " in it to " + Manifest.FILE + " to replay it";

    /** Settings to read data files with: text, whatever a rejected record begins with. */
    public static final SourceSettings SOURCE = new SourceSettings(
            new Encoding(new Encoding.Compression(false, null), StandardCharsets.UTF_8), S3Settings.DEFAULT);

    /**
     * Opens a bundle.
     *
     * @throws BadInputException when the directory holds no bundle, or an incomplete one
     */
    public static Bundle open(Path directory) {
        Manifest manifest = Manifest.read(directory);
        String where = directory.resolve(Manifest.FILE).toString();
        if (manifest.state() == Manifest.State.OPEN && Files.exists(directory.resolve(Manifest.NEW_FILE))) {
            throw new BadInputException(directory
                    + ": is not complete: its import was about to be published. If its table is there, "
                    + HOW_TO_COMPLETE + "; otherwise run the import again");
        }
        if (manifest.state() == Manifest.State.OPEN) {
            throw new BadInputException(
                    directory + ": is not complete: its import is still running, or its process died;"
                            + " run the import again with another --rejects");
        }
        TableDef table = Ddl.select(
                Ddl.parse(manifest.imported().schema(), where),
                manifest.imported().table(),
                where);
        InputFormat format = FormatJson.read(manifest.imported().input(), where);
        Bundle bundle = new Bundle(directory, manifest, table, format);
        List<String> files = bundle.dataFiles();
        format.validate(
                files.isEmpty() ? table : DirectoryValues.of(files.get(0)).fill(table, files.get(0)));
        return bundle;
    }

    /**
     * The data files, in the order in which they were written.
     *
     * @throws BadInputException when a file is missing
     */
    public List<InputFile> inputs() {
        return InputFiles.resolve(dataFiles(), SOURCE);
    }

    /** Paths of the data files, in the order in which they were written. */
    public List<String> dataFiles() {
        return manifest.content().data().stream()
                .map(data -> directory.resolve(data.file()).toString())
                .toList();
    }
}
