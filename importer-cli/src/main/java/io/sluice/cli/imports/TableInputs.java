package io.sluice.cli.imports;

import io.sluice.importer.decode.input.DirectoryValues;
import io.sluice.importer.source.InputFile;
import io.sluice.importer.source.remote.RemoteInputs;
import io.sluice.model.error.BadInputException;
import io.sluice.model.schema.ForeignKey;
import io.sluice.model.schema.IndexDef;
import io.sluice.model.schema.IndexDef.Interleave;
import io.sluice.model.schema.TableDef;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A table and the files that are imported into it.
 *
 * @param table the table
 * @param files its files, numbered from 0
 */
record TableInputs(TableDef table, List<InputFile> files) {
    /** Suffixes of the files of one table: {@code -1}, {@code _0042}, {@code .part3}. */
    private static final String PART = "([-_.]?(part|chunk)?[-_.]?\\d+)+$";

    private static final int FILES_SHOWN = 20;

    TableInputs {
        files = renumbered(files);
    }

    /**
     * Assigns files to tables by name: {@code stock.csv}, {@code public.stock.csv.gz}, {@code stock-0001.csv} and files
     * in a directory {@code stock} belong to table stock. Referenced tables and interleave parents come first.
     *
     * @param schemaName name of the schema in messages
     * @throws BadInputException naming the files that belong to no table
     */
    static List<TableInputs> assign(List<TableDef> tables, List<InputFile> inputs, String schemaName) {
        Set<String> names = tables.stream().map(TableDef::name).collect(Collectors.toSet());
        Map<String, List<InputFile>> byTable = new HashMap<>();
        List<InputFile> left = new ArrayList<>();
        for (InputFile input : inputs) {
            String table = tableOf(input.name(), names);
            if (table == null) {
                left.add(input);
            } else {
                byTable.computeIfAbsent(table, name -> new ArrayList<>()).add(input);
            }
        }
        if (!left.isEmpty()) {
            throw new BadInputException(
                    left.stream().limit(FILES_SHOWN).map(InputFile::name).collect(Collectors.joining(", "))
                            + (left.size() > FILES_SHOWN ? " and " + (left.size() - FILES_SHOWN) + " more" : "")
                            + (left.size() == 1
                                    ? ": its name is that of no table"
                                    : ": their names are those of no tables")
                            + " of " + schemaName + ", which declares "
                            + tables.stream().map(TableDef::name).collect(Collectors.joining(", "))
                            + "; rename files, name only those of tables, as in 'DIR/*.csv', or name one table with --table");
        }
        List<TableInputs> assigned = new ArrayList<>();
        for (TableDef table : ordered(tables)) {
            List<InputFile> files = byTable.get(table.name());
            if (files != null) {
                assigned.add(new TableInputs(table, files));
            }
        }
        return assigned;
    }

    /** The table that a file's name stands for, or null. */
    static @Nullable String tableOf(String file, Set<String> tables) {
        String path = (RemoteInputs.isRemote(file) ? file.replaceFirst("[?#].*$", "") : file).replace('\\', '/');
        String name = path.substring(path.lastIndexOf('/') + 1);
        String parent = DirectoryValues.above(path);
        Set<String> candidates = new LinkedHashSet<>();
        // Without suffixes one by one: public.stock.csv.gz, public.stock.csv, public.stock, public.
        for (String stem = name; !stem.isEmpty(); stem = stem.substring(0, Math.max(0, stem.lastIndexOf('.')))) {
            candidates.add(stem);
            candidates.add(stem.replaceFirst(PART, ""));
        }
        for (String stem : List.copyOf(candidates)) {
            candidates.add(stem.substring(stem.lastIndexOf('.') + 1));
        }
        candidates.add(parent.substring(parent.lastIndexOf('/') + 1));
        for (String candidate : candidates) {
            List<String> alike = tables.stream()
                    .filter(table -> table.equalsIgnoreCase(candidate))
                    .toList();
            if (tables.contains(candidate) || alike.size() == 1) {
                return tables.contains(candidate) ? candidate : alike.get(0);
            }
        }
        return null;
    }

    /** The tables, each after those that it refers to; tables that refer to each other stay as declared. */
    private static List<TableDef> ordered(List<TableDef> tables) {
        Map<String, TableDef> byName = new LinkedHashMap<>();
        tables.forEach(table -> byName.put(table.name().toLowerCase(Locale.ROOT), table));
        Set<TableDef> ordered = new LinkedHashSet<>();
        Set<TableDef> entered = new LinkedHashSet<>();
        tables.forEach(table -> addAfterParents(table, byName, entered, ordered));
        return List.copyOf(ordered);
    }

    private static void addAfterParents(
            TableDef table, Map<String, TableDef> byName, Set<TableDef> entered, Set<TableDef> ordered) {
        if (!entered.add(table)) {
            return;
        }
        List<String> parents = new ArrayList<>();
        for (IndexDef index : table.indexes()) {
            Interleave interleave = index.interleave();
            if (interleave != null) {
                parents.add(interleave.parent());
            }
        }
        table.foreignKeys().stream().map(ForeignKey::parent).forEach(parents::add);
        for (String parent : parents) {
            TableDef found = byName.get(parent.toLowerCase(Locale.ROOT));
            if (found != null) {
                addAfterParents(found, byName, entered, ordered);
            }
        }
        ordered.add(table);
    }

    private static List<InputFile> renumbered(List<InputFile> files) {
        List<InputFile> numbered = new ArrayList<>();
        for (InputFile file : files) {
            numbered.add(new InputFile(numbered.size(), file.name(), file.origin(), file.sizeBytes(), file.encoding()));
        }
        return List.copyOf(numbered);
    }
}
