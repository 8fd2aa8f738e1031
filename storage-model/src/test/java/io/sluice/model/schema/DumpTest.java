package io.sluice.model.schema;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Reads whole dumps, as the tools of six systems write them. Beside each dump a file {@code .txt} holds what is
 * expected: the summary, all tables with columns, types, keys and indexes, and their notes.
 */
class DumpTest {
    private static String text(String name) throws IOException {
        try (InputStream in = DumpTest.class.getResourceAsStream("dumps/" + name)) {
            assertNotNull(in, name);
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "blog.phpmyadmin",
                "film-rental.mysqldump",
                "film-rental.pgdump",
                "movr.cockroach",
                "music.sqlite",
                "orders.sqlserver",
                "pgbench.pgdump",
                "shop.mariadb-dump",
                "tpch.duckdb",
                "tpch.cockroach"
            })
    void dumpIsReadWhole(String name) throws IOException {
        String sql = text(name + ".sql");
        String expected = text(name + ".txt");
        // As Windows writes it, too.
        for (String written : new String[] {sql, sql.replace("\n", "\r\n")}) {
            Ddl.Schema schema = Ddl.read(written, name);
            StringBuilder read = new StringBuilder(schema.summary() == null ? "" : schema.summary() + "\n");
            for (TableDef table : schema.tables()) {
                read.append('\n').append(TableText.of(table));
                Stream<String> defaults = table.columns().stream()
                        .filter(column -> column.defaultText() != null)
                        .map(column -> "default " + column.name() + " '" + column.defaultText() + "'");
                Stream.concat(defaults, schema.notes().getOrDefault(table.name(), List.of()).stream())
                        .forEach(line -> read.append(line).append('\n'));
            }
            assertEquals(expected, read.toString());
        }
    }
}
