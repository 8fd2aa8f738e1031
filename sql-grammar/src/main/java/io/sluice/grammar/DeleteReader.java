package io.sluice.grammar;

import io.sluice.model.schema.TableDef;
import net.sf.jsqlparser.statement.delete.Delete;

/** Converts the syntax tree of a DELETE. */
final class DeleteReader {
    private static final String FORM = "DELETE FROM t [WHERE conditions on an index] [RETURNING NOTHING]";

    private DeleteReader() {}

    static Statement read(Source source, Delete tree) {
        Delete taken = new Delete();
        taken.setTable(tree.getTable());
        taken.setWhere(tree.getWhere());
        taken.setReturningClause(tree.getReturningClause());
        source.nothingElse(taken.toString(), tree.toString(), FORM);
        boolean returningNothing = source.returningNothing(tree.getReturningClause());
        TableDef table = source.table(tree.getTable());
        return new Statement.Delete(table, new WhereReader(source, table).read(tree.getWhere()), returningNothing);
    }
}
