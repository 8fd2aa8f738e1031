package io.sluice.cli.imports;

import io.sluice.importer.decode.infer.Inference;
import io.sluice.importer.decode.infer.InferredTable;
import io.sluice.importer.decode.input.InputFormat;
import io.sluice.importer.job.ImportSettings;
import io.sluice.importer.options.SchemaFile;
import io.sluice.importer.source.InputFile;
import io.sluice.model.error.BadInputException;
import io.sluice.model.schema.Ddl;
import io.sluice.model.schema.TableDef;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The tables of an import: those of the schema file, or one that its first input suggests.
 *
 * @param name name of the schema in messages
 * @param text the DDL
 * @param declared the tables that it declares
 */
record DeclaredTables(String name, String text, Ddl.Schema declared) {
    /** Rows that suggest the types: a fraction of a second's work. */
    private static final long SAMPLE_ROWS = 100_000;

    /**
     * Reads a schema file.
     *
     * @throws BadInputException if it cannot be read or is not valid DDL
     */
    static DeclaredTables of(Path file) {
        String text = SchemaFile.text(file);
        return new DeclaredTables(file.toString(), text, Ddl.read(text, file.toString()));
    }

    /**
     * Infers a table from the beginning of the first input.
     *
     * @param arguments the inputs as the user named them
     * @param table name of the table; null: the name of the directory that is the only argument, or of the first input
     * @param lines receives the DDL
     * @throws BadInputException if the input can be read only once, or suggests no table
     */
    static DeclaredTables inferred(
            List<String> arguments,
            List<InputFile> inputs,
            InputFormat format,
            @Nullable String table,
            Consumer<String> lines) {
        InputFile first = inputs.get(0);
        if (!first.repeatable()) {
            throw new BadInputException("--schema FILE is missing: " + first.name()
                    + " can be read only once, so it cannot be sampled for types");
        }
        InferredTable inferred = Inference.of(
                inputs,
                format,
                table == null ? Inference.tableName(arguments, first) : table,
                ImportSettings.MAX_RECORD_BYTES,
                SAMPLE_ROWS);
        String ddl = inferred.ddl();
        lines.accept(
                "schema: inferred; to change it, save it with 'sluice schema infer', and name the file with --schema");
        ddl.lines().forEach(lines);
        return new DeclaredTables("the schema inferred from " + first.name(), ddl, Ddl.read(ddl, first.name()));
    }

    List<TableDef> tables() {
        return declared.tables();
    }

    /** Passes on what an import does not do as declared. */
    void remarks(TableDef table, Consumer<String> lines) {
        declared.remarks(table.name()).forEach(remark -> lines.accept(name + ": " + remark));
    }
}
