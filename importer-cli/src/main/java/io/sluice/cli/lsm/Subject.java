package io.sluice.cli.lsm;

import io.sluice.client.RemoteNode;
import io.sluice.client.RemoteSettings;
import io.sluice.engine.lsm.LsmEntry;
import io.sluice.engine.lsm.LsmHistory;
import io.sluice.engine.lsm.manifest.Manifest;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The history to draw.
 *
 * @param title names the store or the database
 * @param source where the history comes from: the event log, or the MANIFEST
 * @param history of the column families to draw, and maybe others
 * @param families those to draw, at least one
 */
record Subject(String title, String source, LsmHistory history, List<String> families) {
    private static final String LOG = "event log";
    private static final String MANIFEST = "MANIFEST";
    private static final String DB = "db";
    /** The column family of the store's catalog, without rows. */
    private static final String META = "meta";

    Subject {
        families = List.copyOf(families);
    }

    /** A store by its event log; if it has none, by the MANIFEST of its database. */
    static Subject ofStore(Path store, @Nullable String table, @Nullable String family) {
        if (!Files.isDirectory(store)) {
            throw new BadInputException("there is no store at " + store + "; check the path");
        }
        String title = name(store);
        Path database = store.resolve(DB);
        LsmHistory log = LsmHistory.ofLog(store);
        if (log != null && !log.entries().isEmpty()) {
            LsmHistory checked = Manifest.exists(database) ? compared(log, Manifest.read(database)) : log;
            return chosen(title, LOG, checked, table, family);
        }
        if (!Manifest.exists(database)) {
            throw new BadInputException(store + " is not a Sluice store: it has neither an event log nor a database");
        }
        if (table != null) {
            throw new BadInputException("--table " + table + ": the store has no event log, and its MANIFEST does not"
                    + " know tables; leave the option out, or name a column family with --family");
        }
        LsmHistory manifest = Manifest.read(database)
                .with("the store has no event log; this is what its MANIFEST tells since the store was last opened");
        return chosen(title, MANIFEST, manifest, null, family);
    }

    /** A node on a network by its event log. */
    static Subject ofNode(RemoteSettings settings, @Nullable String table, @Nullable String family) {
        String name = settings.name();
        try (RemoteNode node = new RemoteNode(settings);
                InputStream log = node.lsmLog()) {
            return chosen("node " + name, LOG + " of node " + name, LsmHistory.ofStream(log), table, family);
        } catch (IOException e) {
            throw new OperationFailedException(
                    "node " + name + " broke off while it sent its event log: " + e.getMessage(), e);
        }
    }

    /** Any database by its MANIFEST. */
    static Subject ofManifest(Path database, @Nullable String family) {
        return chosen(name(database), MANIFEST, Manifest.read(database), null, family);
    }

    /** The table that a column family is of, as far as the history tells; several that share it, joined by commas. */
    @Nullable
    String tableOf(String family) {
        List<String> tables = history.entries().stream()
                .filter(entry -> entry.family().equals(family))
                .map(LsmEntry::table)
                .filter(Objects::nonNull)
                .distinct()
                .toList();
        return tables.isEmpty() ? null : String.join(", ", tables);
    }

    private static Subject chosen(
            String title, String source, LsmHistory history, @Nullable String table, @Nullable String family) {
        List<String> known = history.families().stream()
                .filter(name -> hasFiles(history, name))
                .toList();
        if (known.isEmpty()) {
            throw new BadInputException("there is nothing to draw: " + title + " never had an SST file"
                    + (history.notes().isEmpty() ? "" : " (" + String.join("; ", history.notes()) + ")"));
        }
        if (table != null) {
            return new Subject(title, source, history, List.of(familyOf(history, known, table)));
        }
        if (family != null) {
            if (!known.contains(family)) {
                throw new BadInputException("--family " + family + ": no column family of that name ever had files; "
                        + "there is " + String.join(", ", known));
            }
            return new Subject(title, source, history, List.of(family));
        }
        List<String> rows = known.stream().filter(name -> !name.equals(META)).toList();
        return new Subject(title, source, history, rows.isEmpty() ? known : rows);
    }

    private static boolean hasFiles(LsmHistory history, String family) {
        return history.entries().stream()
                .anyMatch(entry ->
                        entry.family().equals(family) && !entry.event().added().isEmpty());
    }

    /** The column family that a table's events are about; the latest, if tables of that name came and went. */
    private static String familyOf(LsmHistory history, List<String> known, String table) {
        Map<String, String> families = new TreeMap<>();
        for (LsmEntry entry : history.entries()) {
            if (entry.table() != null && known.contains(entry.family())) {
                families.put(entry.table(), entry.family());
            }
        }
        String family = families.get(table);
        if (family == null) {
            throw new BadInputException("--table " + table + ": nothing happened to such a table; there is "
                    + (families.isEmpty() ? "none that is named" : String.join(", ", families.keySet())));
        }
        return family;
    }

    /** The log may have been cut off or disturbed; the MANIFEST always knows the files that are live. */
    private static LsmHistory compared(LsmHistory log, LsmHistory manifest) {
        List<String> differing = new ArrayList<>();
        for (String family : log.families()) {
            Set<String> logged = names(log, family);
            Set<String> live = names(manifest, family);
            if (!logged.equals(live)) {
                differing.add(family + " (" + logged.size() + " logged, " + live.size() + " live)");
            }
        }
        return differing.isEmpty()
                ? log
                : log.with("the log does not end with the files that are live now, in column family "
                        + String.join(", ", differing) + "; draw those with --manifest " + DB);
    }

    private static Set<String> names(LsmHistory history, String family) {
        Set<String> names = new HashSet<>();
        history.atEnd(family).files().forEach(file -> names.add(file.file().name()));
        return names;
    }

    private static String name(Path directory) {
        Path last = directory.toAbsolutePath().normalize().getFileName();
        return last == null ? directory.toString() : last.toString();
    }
}
