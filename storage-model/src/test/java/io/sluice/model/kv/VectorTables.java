package io.sluice.model.kv;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.model.schema.Column;
import io.sluice.model.schema.ColumnType;
import io.sluice.model.schema.Index;
import io.sluice.model.schema.Index.Ancestor;
import io.sluice.model.schema.IndexColumn;
import io.sluice.model.schema.IndexColumn.Direction;
import io.sluice.model.schema.IndexDef;
import io.sluice.model.schema.Table;
import io.sluice.model.schema.TableDef;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The tables of {@code vectors/tables.json}, with their column ids and ancestors. */
final class VectorTables {
    private VectorTables() {}

    static Map<String, Table> all() throws IOException {
        Map<String, Table> tables = new LinkedHashMap<>();
        for (JsonNode node : new ObjectMapper().readTree(resource("tables.json"))) {
            tables.put(node.get("name").asText(), table(node));
        }
        return tables;
    }

    static Table get(String name) throws IOException {
        return Objects.requireNonNull(all().get(name), name);
    }

    static byte[] resource(String name) throws IOException {
        try (InputStream in = VectorTables.class.getResourceAsStream("/vectors/" + name)) {
            return Objects.requireNonNull(in, name).readAllBytes();
        }
    }

    private static Table table(JsonNode node) {
        List<Column> columns = new ArrayList<>();
        for (JsonNode column : node.get("columns")) {
            String name = column.get("name").asText();
            columns.add(new Column(
                            column.get("id").asInt(),
                            name,
                            ColumnType.of(DatumText.kind(column.get("type").asText())),
                            column.get("nullable").asBoolean(),
                            name.equals("rowid"))
                    .inFamily(family(node, name)));
        }
        List<IndexDef> secondaries = new ArrayList<>();
        List<Index> indexes = new ArrayList<>();
        IndexDef primary = indexDef(node.get("primary"), columns);
        indexes.add(new Index(primary, ancestors(node.get("primary"))));
        for (JsonNode secondary : node.get("indexes")) {
            IndexDef def = indexDef(secondary, columns);
            secondaries.add(def);
            indexes.add(new Index(def, ancestors(secondary)));
        }
        TableDef def = new TableDef(node.get("name").asText(), columns, primary, secondaries, List.of());
        return new Table(node.get("id").asInt(), def, indexes);
    }

    private static int family(JsonNode node, String column) {
        for (JsonNode family : node.get("families")) {
            for (JsonNode name : family.get("columns")) {
                if (name.asText().equals(column)) {
                    return family.get("id").asInt();
                }
            }
        }
        throw new IllegalArgumentException("column " + column + " is in no family");
    }

    private static IndexDef indexDef(JsonNode node, List<Column> columns) {
        List<IndexColumn> indexed = new ArrayList<>();
        for (JsonNode column : node.get("columns")) {
            indexed.add(new IndexColumn(
                    position(column.get("name").asText(), columns),
                    column.get("dir").asText().equals("desc") ? Direction.DESC : Direction.ASC));
        }
        List<Integer> storing = new ArrayList<>();
        for (JsonNode column : node.get("storing")) {
            storing.add(position(column.asText(), columns));
        }
        return new IndexDef(
                node.get("id").asInt(),
                node.get("name").asText(),
                node.get("unique").asBoolean(),
                indexed,
                storing,
                null);
    }

    private static int position(String name, List<Column> columns) {
        for (int i = 0; i < columns.size(); i++) {
            if (columns.get(i).name().equals(name)) {
                return i;
            }
        }
        throw new IllegalArgumentException("no column " + name);
    }

    private static List<Ancestor> ancestors(JsonNode node) {
        List<Ancestor> ancestors = new ArrayList<>();
        for (JsonNode level : node.get("interleave")) {
            ancestors.add(new Ancestor(
                    level.get("table_id").asInt(),
                    level.get("index_id").asInt(),
                    level.get("shared_prefix_len").asInt()));
        }
        return ancestors;
    }
}
