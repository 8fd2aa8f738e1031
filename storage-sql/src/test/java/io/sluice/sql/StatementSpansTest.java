package io.sluice.sql;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.grammar.SqlParser;
import io.sluice.grammar.SqlScript;
import io.sluice.sql.transaction.Transaction;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests which statements on a hierarchy may run in parallel with a DELETE in it. */
class StatementSpansTest {
    private static final String DDL = """
            CREATE TABLE p (id INT PRIMARY KEY, v INT);
            CREATE TABLE c (p INT, k INT, v INT, PRIMARY KEY (p, k),
                FOREIGN KEY (p) REFERENCES p (id) ON DELETE CASCADE) INTERLEAVE IN PARENT p (p);
            CREATE TABLE g (p INT, k INT, t INT, PRIMARY KEY (p, k, t),
                FOREIGN KEY (p, k) REFERENCES c (p, k) ON DELETE CASCADE) INTERLEAVE IN PARENT c (p, k);
            """;

    @TempDir
    Path directory = Path.of("");

    private void with(String ddl, Consumer<Transaction> check) throws Exception {
        try (SqlStore store = new SqlStore(directory)) {
            store.create(ddl);
            try (Transaction transaction = store.engine().begin(false)) {
                check.accept(transaction);
            }
        }
    }

    private static void independent(boolean expected, Transaction transaction, String one, String other) {
        assertEquals(expected, spans(transaction, one).independentOf(spans(transaction, other)), one + " and " + other);
    }

    private static StatementSpans spans(Transaction transaction, String sql) {
        return StatementSpans.of(
                transaction, new SqlParser().parse(SqlScript.split(sql).get(0), name -> transaction
                        .require(name)
                        .table()
                        .def()));
    }

    @Test
    void deletesBySpanDoNotConflictWithOtherRows() throws Exception {
        with(DDL, transaction -> {
            String delete = "DELETE FROM p WHERE id = 2";
            independent(true, transaction, delete, "DELETE FROM p WHERE id = 1");
            independent(true, transaction, delete, "DELETE FROM p WHERE id > 2");
            independent(true, transaction, delete, "INSERT INTO c VALUES (3, 1, 1), (1, 9, 9)");
            independent(true, transaction, delete, "SELECT * FROM g WHERE p = 1");
            independent(true, transaction, delete, "UPDATE c SET v = 1 WHERE p = 3 AND k = 1");

            independent(false, transaction, delete, delete);
            independent(false, transaction, delete, "DELETE FROM p WHERE id BETWEEN 1 AND 3");
            independent(false, transaction, delete, "INSERT INTO p VALUES (2, 2)");
            independent(false, transaction, delete, "INSERT INTO g VALUES (2, 1, 1)");
            independent(false, transaction, delete, "SELECT count(*) FROM g");
            independent(false, transaction, delete, "SELECT * FROM c WHERE p = 2 AND k = 1");
            independent(false, transaction, delete, "UPDATE c SET v = 1 WHERE p = 2 AND k = 1");
            independent(false, transaction, delete, "DELETE FROM c WHERE p = 2");
        });
    }

    /** The rows' index entries are not known before the rows are read. */
    @Test
    void secondaryIndexesInsideBelongToItWhole() throws Exception {
        with(DDL.replace("PRIMARY KEY (p, k, t),", "PRIMARY KEY (p, k, t), INDEX by_t (t),"), transaction -> {
            independent(false, transaction, "DELETE FROM p WHERE id = 2", "INSERT INTO g VALUES (1, 1, 1)");
            independent(false, transaction, "DELETE FROM p WHERE id = 2", "DELETE FROM p WHERE id = 1");
            independent(true, transaction, "DELETE FROM p WHERE id = 2", "INSERT INTO c VALUES (1, 1, 1)");
        });
    }
}
