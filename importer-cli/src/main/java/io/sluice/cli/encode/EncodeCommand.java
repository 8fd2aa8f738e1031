package io.sluice.cli.encode;

import com.fasterxml.jackson.core.JsonGenerator;
import io.sluice.cli.output.Console;
import io.sluice.cli.output.Json;
import io.sluice.cli.output.Output;
import io.sluice.importer.options.FormatOptions;
import io.sluice.importer.options.SchemaFile;
import io.sluice.importer.options.SourceOptions;
import io.sluice.importer.source.InputFile;
import io.sluice.importer.source.InputFiles;
import io.sluice.model.error.BadInputException;
import io.sluice.model.kv.IndexEncoder;
import io.sluice.model.kv.KvEncoder;
import io.sluice.model.row.Row;
import io.sluice.model.schema.Ddl;
import io.sluice.model.schema.Index;
import io.sluice.model.schema.Table;
import io.sluice.model.schema.TableDef;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sluice encode}: prints the KVs of rows, for inspection and for comparison with other encoders. */
@Command(
        name = "encode",
        description = "Print the key/value pairs of every row in hex, a JSON object per row and line. Needs no store.")
@SuppressWarnings("NullAway.Init") // picocli sets what is required
public final class EncodeCommand implements Callable<Integer> {
    private final Console console;

    @Option(names = "--schema", paramLabel = "FILE", required = true, description = "File with the DDL of the table.")
    Path schema;

    @Option(
            names = "--table",
            paramLabel = "T",
            description = "Table of the rows. Default: the only table of the schema.")
    @Nullable
    String table;

    @Option(
            names = "--table-id",
            paramLabel = "NAME=ID",
            description = "Id of a table; may be repeated. Default: its position in the schema, from 1.")
    Map<String, Integer> tableIds = new LinkedHashMap<>();

    @Option(
            names = "--sst",
            paramLabel = "DIR",
            description =
                    "Write one SST file per index to DIR instead, and for each a file with the HTTP headers of its upload"
                            + " to a node; prints the files written.")
    @Nullable
    Path sst;

    @Mixin
    FormatOptions format;

    @Mixin
    SourceOptions source;

    @Parameters(arity = "1..*", paramLabel = "FILE", description = "Files of rows; - is standard input.")
    List<String> inputs;

    public EncodeCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        Ddl.Schema declared = SchemaFile.schema(schema);
        List<TableDef> tables = declared.tables();
        TableDef chosen = Ddl.select(tables, table, schema.toString());
        SchemaFile.printRemarks(schema, declared, chosen, console.err()::println);
        Table bound = Objects.requireNonNull(bind(tables, tableIds).get(chosen.name()));
        List<InputFile> files = InputFiles.resolve(inputs, source.settings(), console.err()::println);
        InputRows rows = new InputRows(files, format.of(files), chosen);
        try (Output out = console.data()) {
            if (sst == null) {
                KvLines lines = new KvLines(bound);
                rows.forEach((number, row) -> out.line(lines.line(number, row)));
            } else {
                SstOutput ssts = new SstOutput(bound);
                rows.forEach((number, row) -> ssts.add(row));
                ssts.write(sst).forEach(out::line);
            }
        }
        return 0;
    }

    /**
     * Binds all tables to ids, in the order of the file.
     *
     * @param pinned ids by table name
     * @throws BadInputException if a pinned table does not exist, or two tables get the same id
     */
    private static Map<String, Table> bind(List<TableDef> defs, Map<String, Integer> pinned) {
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

    /** Formats rows as lines of JSON with their KVs in hex. Not thread-safe. */
    private static final class KvLines {
        private final HexFormat hex = HexFormat.of();
        private final List<IndexEncoder> encoders;
        private final List<String> names;
        private byte[] buffer = new byte[4096];

        KvLines(Table table) {
            encoders = IndexEncoder.ofAll(table);
            names = table.indexes().stream()
                    .map(Index::def)
                    .map(def -> def.name())
                    .toList();
        }

        /** Formats one row. */
        String line(long number, Row row) {
            return Json.object(json -> {
                json.writeNumberField("row", number);
                json.writeArrayFieldStart("kvs");
                for (int i = 0; i < encoders.size(); i++) {
                    write(json, names.get(i), encoders.get(i), row);
                    for (KvEncoder family : encoders.get(i).families()) {
                        write(json, names.get(i), family, row);
                    }
                }
                json.writeEndArray();
            });
        }

        /** Writes one KV, if the row has it. */
        private void write(JsonGenerator json, String index, KvEncoder encoder, Row row) throws IOException {
            long lengths = encode(encoder, row);
            if (lengths == 0) {
                return;
            }
            int keyEnd = (int) (lengths >>> Integer.SIZE);
            int valueEnd = keyEnd + (int) lengths;
            json.writeStartObject();
            json.writeStringField("index", index);
            json.writeNumberField("family", encoder.family());
            json.writeStringField("key", hex.formatHex(buffer, 0, keyEnd));
            json.writeStringField("value", hex.formatHex(buffer, keyEnd, valueEnd));
            json.writeEndObject();
        }

        private long encode(KvEncoder encoder, Row row) {
            int room = encoder.maxBytes(row);
            if (buffer.length < room) {
                buffer = new byte[Math.max(room, 2 * buffer.length)];
            }
            return encoder.encode(row, buffer, 0);
        }
    }
}
