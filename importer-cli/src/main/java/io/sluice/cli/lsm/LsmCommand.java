package io.sluice.cli.lsm;

import io.sluice.api.error.BadInputException;
import io.sluice.api.error.OperationFailedException;
import io.sluice.cli.output.Console;
import io.sluice.cli.output.Output;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code sluice lsm}: draws LSM trees now or at any earlier point. Opens, locks and changes nothing. */
@Command(
        name = "lsm",
        description = {
            "Draw how the SST files of a store, or of any RocksDB database, stand above each other.",
            "Reads the store's event log or the database's MANIFEST and changes nothing; the database may be in use."
        })
@SuppressWarnings("NullAway.Init") // picocli sets what is required
public final class LsmCommand implements Callable<Integer> {
    private final Console console;

    /** Where the history is; exactly one of the two. */
    @SuppressWarnings("NullAway.Init")
    static final class Where {
        @Option(names = "--store", paramLabel = "DIR", description = "Directory of a Sluice store.")
        @Nullable
        Path store;

        @Option(
                names = "--manifest",
                paramLabel = "DIR",
                description = "Directory of any RocksDB database; its MANIFEST is read.")
        @Nullable
        Path manifest;
    }

    @ArgGroup(multiplicity = "1")
    Where where;

    @Option(names = "--table", paramLabel = "T", description = "Draw this table's column family. Default: all.")
    @Nullable
    String table;

    @Option(names = "--family", paramLabel = "NAME", description = "Draw this column family. Default: all.")
    @Nullable
    String family;

    @Option(names = "--at", paramLabel = "N", description = "Draw the trees after event N. Default: after the last.")
    long at = Long.MAX_VALUE;

    @Option(names = "--json", description = "One JSON object per column family and line.")
    boolean json;

    @Option(
            names = "--html",
            paramLabel = "FILE",
            description = "Write a page with a timeline of all events; it needs no network.")
    @Nullable
    Path html;

    public LsmCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        if (at < 0) {
            throw new BadInputException("--at " + at + ": must not be negative");
        }
        Subject subject = subject();
        if (html != null) {
            write(html, HtmlPage.of(subject, at));
            console.err().println("wrote " + html + "; open it in a browser");
            return 0;
        }
        try (Output out = console.output()) {
            if (json) {
                subject.families().forEach(each -> out.line(TreeJson.line(subject, each, at)));
            } else {
                new TreeText(subject, at).lines().forEach(out::line);
            }
        }
        return 0;
    }

    private Subject subject() {
        Path store = where.store;
        if (store != null) {
            return Subject.ofStore(store, table, family);
        }
        if (table != null) {
            throw new BadInputException("--table " + table
                    + ": a MANIFEST does not know tables; name a column family with --family, or a store with --store");
        }
        if (where.manifest == null) {
            throw new IllegalStateException("neither store nor manifest");
        }
        return Subject.ofManifest(where.manifest, family);
    }

    private static void write(Path file, String page) {
        try {
            Files.writeString(file, page);
        } catch (IOException e) {
            throw new OperationFailedException("cannot write " + file + ": " + e, e);
        }
    }
}
