package io.sluice.spark;

import io.sluice.model.schema.Ddl;
import io.sluice.model.schema.Table;
import io.sluice.model.schema.TableDef;
import java.io.Serializable;
import java.util.List;

/**
 * A table for tasks, which parse its DDL again.
 *
 * @param ddl DDL of the table and of those declared with it
 * @param name name of the table
 */
record TableRef(String ddl, String name) implements Serializable {
    private static final long serialVersionUID = 1L;

    /** The table, with the ids of a new store. */
    Table table() {
        List<TableDef> tables = Ddl.parse(ddl, "the schema");
        return Table.inNewStore(tables, Ddl.select(tables, name, "the schema"));
    }
}
