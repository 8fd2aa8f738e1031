package io.sluice.importer.options;

import io.sluice.importer.bundle.BundleSettings;
import io.sluice.importer.conflict.ConflictPolicy;
import io.sluice.importer.decode.RejectLimit;
import io.sluice.model.error.BadInputException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of bad rows and of rows with equal keys. */
@SuppressWarnings("NullAway.Init") // picocli sets what has a default
public final class RejectOptions {
    /** Relative to the working directory, because an import may have no store. */
    private static final Path DEFAULT_REJECTS = Path.of("sluice-rejects");

    @Option(
            names = "--max-rejects",
            paramLabel = "N|P%",
            defaultValue = "0",
            description = "Number or percentage of bad rows that the import tolerates. Default: 0.")
    String maxRejects;

    @Option(
            names = "--rejects",
            paramLabel = "DIR",
            description =
                    "New directory for bad rows, to be repaired and replayed; see docs/how-to/rejects.md. Default if"
                            + " --max-rejects allows some: sluice-rejects/ID (the UUID of the job), or sluice-rejects/TABLE-N.")
    @Nullable
    Path rejects;

    @Option(names = "--no-rejects", description = "Keep no bad rows; the report counts them by reason all the same.")
    boolean noRejects;

    @Option(
            names = "--on-conflict",
            paramLabel = "P",
            defaultValue = "error",
            description =
                    "Policy for rows with the same key in the primary or a unique index: error (default), first (keep the"
                            + " first), last (keep the last), or capture (keep the first, write the others to --rejects).")
    String onConflict;

    /** Validates the options and adds problems to the list. */
    public void validate(List<String> problems) {
        try {
            limit();
        } catch (BadInputException e) {
            problems.add(String.valueOf(e.getMessage()));
        }
        if (noRejects && rejects != null) {
            problems.add("--no-rejects with --rejects " + rejects + ": give only one of them");
        }
        try {
            if (policy() == ConflictPolicy.CAPTURE && rejects == null) {
                problems.add("--on-conflict capture needs --rejects DIR, for the rows that are dropped");
            }
        } catch (BadInputException e) {
            problems.add(String.valueOf(e.getMessage()));
        }
    }

    /** The limit of bad rows as it was given. */
    public String maxRejects() {
        return maxRejects;
    }

    /** Whether a directory for bad rows was given. */
    public boolean named() {
        return rejects != null;
    }

    /** Limit of bad rows. */
    public RejectLimit limit() {
        return RejectLimit.parse(maxRejects);
    }

    /** Policy for rows with the same key. */
    public ConflictPolicy policy() {
        return ConflictPolicy.of(onConflict, "--on-conflict " + onConflict);
    }

    /**
     * Returns the bundle for bad rows; null with --no-rejects, and if none are tolerated and --rejects is not given.
     *
     * @param name name of the bundle if --rejects is not given
     * @param below name of the bundle in the directory of --rejects, for one of several; null: the directory itself
     * @param program a class of the program, whose version the bundle has
     */
    public @Nullable BundleSettings bundle(String schema, String name, @Nullable String below, Class<?> program) {
        boolean none = limit().equals(RejectLimit.NONE);
        if (noRejects || (rejects == null && none)) {
            return null;
        }
        String version = program.getPackage().getImplementationVersion();
        Path given = rejects == null || below == null ? rejects : rejects.resolve(fileName(below));
        Path directory = given == null ? DEFAULT_REJECTS.resolve(name) : given;
        return new BundleSettings(
                directory,
                schema,
                version == null ? "(unpackaged)" : version,
                rejects == null ? BundleSettings.Choice.COMMAND : BundleSettings.Choice.USER);
    }

    /** Returns the first unused default name of a bundle: TABLE-1, TABLE-2, and so on. */
    public static String unusedBundle(String table) {
        String name = fileName(table);
        int number = 1;
        while (Files.exists(DEFAULT_REJECTS.resolve(name + "-" + number))) {
            number++;
        }
        return name + "-" + number;
    }

    /** The name of a table as that of one file: a name in quotes may have slashes, and lead elsewhere. */
    private static String fileName(String table) {
        String name = table.replaceAll("[/\\\\\\p{Cntrl}]", "_");
        return name.matches("\\.{1,2}") ? "_" : name;
    }
}
