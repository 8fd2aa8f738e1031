package io.sluice.cli.encode;

import io.sluice.model.error.BadInputException;
import io.sluice.model.schema.Table;
import io.sluice.model.schema.TableDef;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Assigns ids to the tables of a schema file: pinned ids, or the position in the file, from 1. */
final class TableIds {
    private TableIds() {}

    /**
     * Binds all tables to ids, in the order of the file.
     *
     * @param pinned ids by table name
     * @throws BadInputException if a pinned table does not exist, or two tables get the same id
     */
    static Map<String, Table> bind(List<TableDef> defs, Map<String, Integer> pinned) {
        Map<String, Integer> unused = new HashMap<>(pinned);
        Map<Integer, String> taken = new HashMap<>();
        Map<String, Table> bound = new LinkedHashMap<>();
        for (int i = 0; i < defs.size(); i++) {
            TableDef def = defs.get(i);
            Integer pin = unused.remove(def.name());
            int id = pin == null ? i + 1 : pin;
            if (id < 1) {
                throw new BadInputException("--table-id " + def.name() + "=" + id + ": must be at least 1");
            }
            String other = taken.put(id, def.name());
            if (other != null) {
                throw new BadInputException("tables " + other + " and " + def.name() + " would both have id " + id
                        + "; pin one with --table-id " + def.name() + "=N");
            }
            bound.put(def.name(), Table.bind(def, id, bound::get));
        }
        if (!unused.isEmpty()) {
            throw new BadInputException("--table-id: the schema has no table "
                    + String.join(", ", unused.keySet().stream().sorted().toList()));
        }
        return bound;
    }
}
