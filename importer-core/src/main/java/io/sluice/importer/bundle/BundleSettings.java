package io.sluice.importer.bundle;

import java.nio.file.Path;

/**
 * Settings of a reject bundle.
 *
 * @param directory directory of the bundle; must be new or empty
 * @param schema the DDL that declares the table and those it is interleaved in
 * @param version the version of Sluice
 * @param choice who has chosen the directory
 */
public record BundleSettings(Path directory, String schema, String version, Choice choice) {
    /** The chooser of a bundle's directory. */
    public enum Choice {
        /** The user: a resumed import must have the same one. */
        USER,
        /** The command: the directory is kept only with rejects. */
        COMMAND,
        /**
         * An import service. Another service that goes on with the job has another directory, which lacks the rejects
         * of earlier attempts; the import then begins again.
         */
        SERVICE
    }

    /** Creates settings for a directory that the user has named. */
    public BundleSettings(Path directory, String schema, String version) {
        this(directory, schema, version, Choice.USER);
    }

    /** Whether the directory is a default of the command. */
    public boolean byDefault() {
        return choice == Choice.COMMAND;
    }
}
