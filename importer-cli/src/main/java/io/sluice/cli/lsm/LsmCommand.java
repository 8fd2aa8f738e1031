package io.sluice.cli.lsm;

import io.sluice.cli.output.Console;
import io.sluice.cli.output.Output;
import io.sluice.cli.remote.RemoteOptions;
import io.sluice.client.RemoteSettings;
import io.sluice.engine.lsm.LsmEntry;
import io.sluice.model.error.BadInputException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sluice lsm}: draws LSM trees as they are now or after an earlier event. Read-only; takes no lock. */
@Command(
        name = "lsm",
        description = {
            "Draw the LSM trees of a store, of storage nodes, or of any RocksDB database.",
            "Reads event logs or the database's MANIFEST and changes nothing; the database may be in use."
        })
@SuppressWarnings("NullAway.Init") // picocli sets what is required
public final class LsmCommand implements Callable<Integer> {
    private final Console console;

    @Option(names = "--store", paramLabel = "DIR", description = "Directory of a Sluice store.")
    @Nullable
    Path store;

    @Option(
            names = "--manifest",
            paramLabel = "DIR",
            description = "Directory of any RocksDB database; its MANIFEST is read.")
    @Nullable
    Path manifest;

    @Mixin
    RemoteOptions remote;

    @Option(names = "--table", paramLabel = "T", description = "Draw this table's column family. Default: all.")
    @Nullable
    String table;

    @Option(names = "--family", paramLabel = "NAME", description = "Draw this column family. Default: all.")
    @Nullable
    String family;

    @Option(names = "--at", paramLabel = "N", description = "Draw the trees after event N. Default: after the last.")
    long at = Long.MAX_VALUE;

    @Option(names = "--json", description = "Print one JSON object per column family and line.")
    boolean json;

    @Option(
            names = "--html",
            paramLabel = "FILE",
            description = "Write an HTML page with a timeline of all events; it needs no network.")
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
        if (table != null && family != null) {
            throw new BadInputException("--table and --family both name what to draw; give one of them");
        }
        if (json && html != null) {
            throw new BadInputException("--json and --html are two forms; give one of them");
        }
        List<Subject> subjects = subjects();
        // Nodes number their events by themselves, so only a number above those of all nodes is wrong.
        long last = subjects.stream()
                .flatMap(each -> each.history().entries().stream())
                .mapToLong(LsmEntry::seq)
                .max()
                .orElse(0);
        if (at > last && at != Long.MAX_VALUE) {
            throw new BadInputException("--at " + at + ": the last event has the number " + last);
        }
        if (html != null) {
            if (subjects.size() > 1) {
                throw new BadInputException("--html: a page shows one node; name one with --nodes");
            }
            Subject subject = subjects.get(0);
            HtmlPage.write(html, subject.title(), PageData.json(subject, at), console.err());
            return 0;
        }
        try (Output out = console.output()) {
            for (int i = 0; i < subjects.size(); i++) {
                if (i > 0 && !json) {
                    out.line("");
                }
                TreePrinter printer = new TreePrinter(subjects.get(i), at);
                (json ? printer.json() : printer.text()).forEach(out::line);
            }
        }
        return 0;
    }

    private List<Subject> subjects() {
        int places = (store == null ? 0 : 1) + (manifest == null ? 0 : 1) + (remote.given() ? 1 : 0);
        if (places != 1) {
            throw new BadInputException("give one of --store DIR, --manifest DIR and --nodes HOST:PORT,HOST:PORT…");
        }
        if (store != null) {
            return List.of(Subject.ofStore(store, table, family));
        }
        if (manifest == null) {
            return ofNodes();
        }
        if (table != null) {
            throw new BadInputException("--table " + table
                    + ": a MANIFEST does not know tables; name a column family with --family, or a store with --store");
        }
        return List.of(Subject.ofManifest(manifest, family));
    }

    /** Returns the nodes with a history to draw; a table need not have keys on every node. */
    private List<Subject> ofNodes() {
        List<Subject> subjects = new ArrayList<>();
        List<BadInputException> nothing = new ArrayList<>();
        for (RemoteSettings each : remote.named().settings()) {
            try {
                subjects.add(Subject.ofNode(each, table, family));
            } catch (BadInputException e) {
                nothing.add(e);
            }
        }
        if (subjects.isEmpty()) {
            throw nothing.get(0);
        }
        nothing.forEach(e -> console.log(String.valueOf(e.getMessage())));
        return subjects;
    }
}
