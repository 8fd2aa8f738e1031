package io.sluice.cli.imports;

import io.sluice.importer.job.staged.StagedManifest;
import io.sluice.model.plain.PlainKvs;
import io.sluice.model.schema.TableDef;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of {@code build} for sets of plain SSTs, which any RocksDB ingests. */
final class PlainOptions {
    /** The database that a set is for. */
    enum Target {
        TABLE,
        ROCKSDB
    }

    @Option(
            names = "--target",
            paramLabel = "T",
            description = "Use of the set: table (default; a table of Sluice's) or rocksdb (plain SSTs for any RocksDB;"
                    + " see docs/how-to/rocksdb.md).")
    Target target = Target.TABLE;

    @Option(
            names = "--key",
            paramLabel = "COLUMNS",
            description = "With --target rocksdb: columns of the key, with commas between them.")
    @Nullable
    String key;

    @Option(
            names = "--key-encoding",
            paramLabel = "E",
            description =
                    "With --target rocksdb: plain (default; texts as they are, numbers big-endian) or ordered (the"
                            + " order of keys is that of the values).")
    PlainKvs.@Nullable KeyEncoding keyEncoding;

    @Option(
            names = "--value",
            paramLabel = "COLUMNS|json|avro",
            description =
                    "With --target rocksdb: columns of the value, or json or avro for all columns that are not in the"
                            + " key.")
    @Nullable
    String value;

    void validate(List<String> problems) {
        if (target == Target.TABLE && (key != null || keyEncoding != null || value != null)) {
            problems.add("--key, --key-encoding and --value are for plain SSTs; add --target rocksdb");
        }
        if (target == Target.ROCKSDB && (key == null || value == null)) {
            problems.add("--target rocksdb takes --key COLUMNS, and --value COLUMNS, json or avro");
        }
    }

    /** The form of plain KVs; null for a table of Sluice's. */
    @Nullable
    PlainKvs of(TableDef declared) {
        return key == null || value == null ? null : PlainKvs.of(declared, PlainKvs.names(key), encoding(), value);
    }

    private PlainKvs.KeyEncoding encoding() {
        return keyEncoding == null ? PlainKvs.KeyEncoding.PLAIN : keyEncoding;
    }

    /** Describes the table and the form of its KVs for the manifest. */
    StagedManifest.Target target(String ddl, List<TableDef> tables, TableDef declared, @Nullable PlainKvs plain) {
        if (plain == null || key == null || value == null) {
            return StagedManifest.Target.ofTable(ddl, tables, declared);
        }
        return StagedManifest.Target.ofRocksDb(
                ddl, declared, StagedManifest.Form.plain(PlainKvs.names(key), encoding(), value, plain.valueSchema()));
    }
}
