package io.sluice.importer.job.staged;

import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.SstBytes;
import io.sluice.api.node.SstFile;
import io.sluice.api.wire.ChecksumBody;
import io.sluice.api.wire.Wire;
import io.sluice.importer.conflict.ConflictPolicy;
import io.sluice.importer.decode.RejectLimit;
import io.sluice.importer.source.Encoding;
import io.sluice.importer.source.InputFile;
import io.sluice.model.error.BadInputException;
import io.sluice.model.kv.IndexKeys;
import io.sluice.model.kv.KeySpan;
import io.sluice.model.kv.KvChecksum;
import io.sluice.model.plain.PlainKvs;
import io.sluice.model.schema.Ddl;
import io.sluice.model.schema.DdlText;
import io.sluice.model.schema.Table;
import io.sluice.model.schema.TableDef;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The manifest of a staged set, {@code manifest.json}.
 *
 * @param version version of this format, {@value #VERSION}
 * @param id id of the set, under which nodes know its ingest
 * @param encoder version of the encoding of rows as KVs: 2 for a table with several column families; 1 for others, and
 *     for sets of earlier builds, which took all columns as one family
 * @param comparator RocksDB's name of the key order
 * @param target the table
 * @param sources the inputs that the set was built from
 * @param ssts the SSTs, by index and key
 * @param totals checksum per index, in the table's order
 * @param rejected number of records of the inputs that were rejected or captured, and so are not in the set; 0 in sets
 *     of earlier builds, which did not count them
 * @param replicas of a backup, the number of nodes that each key range of the table was on; 0: the set is no backup of
 *     such a table, or of an earlier build
 */
public record StagedManifest(
        int version,
        String id,
        int encoder,
        String comparator,
        Target target,
        Sources sources,
        List<Sst> ssts,
        List<ChecksumBody> totals,
        long rejected,
        int replicas) {
    static final int VERSION = 1;
    static final int ENCODER = 1;
    static final int ENCODER_OF_FAMILIES = 2;
    static final String COMPARATOR = "leveldb.BytewiseComparator";

    /**
     * The table of a set.
     *
     * @param schema DDL of the table and of the tables that it is interleaved in
     * @param table name of the table
     * @param tableId id that the keys carry; 0 if they carry none
     * @param keyPrefix common start of all keys of the primary index, in hexadecimal
     * @param form form of the keys and values
     */
    public record Target(String schema, String table, int tableId, String keyPrefix, Form form) {
        /** The KVs of a table of Sluice's, with the ids of a new store. */
        public static Target ofTable(String schema, List<TableDef> tables, TableDef chosen) {
            Table table = Table.inNewStore(tables, chosen);
            return new Target(schema, table.name(), table.id(), Wire.hex(prefix(table, 0)), Form.TABLE);
        }

        /** Plain KVs for RocksDB; they hold no ids. */
        public static Target ofRocksDb(String schema, TableDef chosen, Form form) {
            return new Target(schema, chosen.name(), 0, "", form);
        }

        /**
         * The KVs of a table as a store has them, with the ids that it has there.
         *
         * @param tables finds the tables of the store
         * @throws BadInputException if the table is interleaved, and a new store would give other ids
         */
        static Target ofStored(Table table, Function<String, @Nullable TableDef> tables) {
            Target target = new Target(
                    DdlText.withParents(table.def(), tables),
                    table.name(),
                    table.id(),
                    Wire.hex(prefix(table, 0)),
                    Form.TABLE);
            if (target.bound().equals(table)) {
                return target;
            }
            throw new BadInputException(
                    table.interleaved()
                            ? "table " + table.name() + " is interleaved, and its keys hold ids of tables that a new"
                                    + " store would number otherwise: this backup could not be restored; write the"
                                    + " rows with 'sluice export'"
                            : "table " + table.name() + ": its declaration does not give the same table; write the"
                                    + " rows with 'sluice export', and report this defect");
        }

        private TableDef declared() {
            String where = "the schema of the set";
            return Ddl.select(Ddl.parse(schema, where), table, where);
        }

        /** The form of the KVs if they are for RocksDB; null for KVs of the table. */
        @Nullable
        PlainKvs plain() {
            return form.isTable() ? null : PlainKvs.of(declared(), form.key, form.encoding(), form.value);
        }

        /** The table, with the ids that the keys carry. */
        Table bound() {
            PlainKvs plain = plain();
            if (plain != null) {
                return plain.table();
            }
            Table table = Table.inNewStore(Ddl.parse(schema, "the schema of the set"), declared());
            // Keys of an interleaved table also hold the ids of others.
            return table.interleaved() ? table : new Table(tableId, table.def(), table.indexes());
        }
    }

    /**
     * The form of keys and values.
     *
     * @param target {@code table}: as Sluice stores rows; {@code rocksdb}: plain, without ids and checksums
     * @param key columns of the key, if plain
     * @param keyEncoding encoding of the key, if plain
     * @param value the value, if plain: {@code json}, {@code avro}, or columns with commas between them
     * @param valueSchema Avro schema of the values; empty for others
     */
    public record Form(String target, List<String> key, String keyEncoding, String value, String valueSchema) {
        public static final String ROCKSDB = "rocksdb";
        static final Form TABLE = new Form("table", List.of(), "", "", "");

        public static Form plain(List<String> key, PlainKvs.KeyEncoding encoding, String value, String valueSchema) {
            return new Form(ROCKSDB, List.copyOf(key), encoding.label(), value, valueSchema);
        }

        boolean isTable() {
            return target.equals(TABLE.target);
        }

        private PlainKvs.KeyEncoding encoding() {
            for (PlainKvs.KeyEncoding encoding : PlainKvs.KeyEncoding.values()) {
                if (target.equals(ROCKSDB) && encoding.label().equals(keyEncoding)) {
                    return encoding;
                }
            }
            throw new BadInputException("the set is for " + target + " with the key encoding " + keyEncoding
                    + ", which this Sluice does not know; use the Sluice that built it");
        }
    }

    /**
     * The inputs of a set, and how they were read.
     *
     * @param format format of the inputs; with their charset and compression, and the limit of rejects, where these are
     *     not the usual ones
     * @param onConflict policy for rows with the same key
     * @param files the inputs in order
     */
    public record Sources(String format, String onConflict, List<Source> files) {
        static Sources of(String format, ConflictPolicy onConflict, RejectLimit limit, List<InputFile> inputs) {
            Set<String> how = new LinkedHashSet<>(List.of(format));
            inputs.stream()
                    .map(InputFile::encoding)
                    .filter(encoding -> !encoding.equals(Encoding.DEFAULT))
                    .forEach(encoding -> how.add(encoding.toString()));
            if (!limit.equals(RejectLimit.NONE)) {
                how.add("at most " + limit.label() + " rejects");
            }
            return new Sources(String.join(", ", how), onConflict.label(), Source.of(inputs));
        }
    }

    /**
     * One input.
     *
     * @param name name in messages
     * @param bytes stored length; -1 if not known
     * @param version version at its origin, such as time and inode, or an ETag; empty if it has none
     */
    public record Source(String name, long bytes, String version) {
        static List<Source> of(List<InputFile> inputs) {
            return inputs.stream()
                    .map(input -> new Source(input.name(), input.sizeBytes(), input.version()))
                    .toList();
        }
    }

    /**
     * One SST. Its file is {@code ID.sst} beside the manifest.
     *
     * @param id id of the SST
     * @param index name of its index
     * @param indexId id of its index
     * @param file name of its file
     * @param bytes length of the file
     * @param crc32c CRC-32C of the whole file, as eight hexadecimal digits
     * @param keys its keys
     * @param kvs checksum of its KVs
     */
    public record Sst(
            String id, String index, int indexId, String file, long bytes, String crc32c, Keys keys, ChecksumBody kvs) {
        static Sst of(SstFile sst, KvChecksum sum, String index) {
            return new Sst(
                    sst.id().toString(),
                    index,
                    sst.indexId(),
                    sst.id() + ".sst",
                    sst.fileBytes(),
                    Wire.hex(sst.bytes().crc32c()),
                    new Keys(
                            Wire.hex(sst.smallestKey()),
                            Wire.hex(sst.largestKey()),
                            sst.samples().stream().map(Wire::hex).toList()),
                    ChecksumBody.of(new IndexChecksum(index, sum)));
        }

        /** The checksum of all bytes. */
        int crc() {
            return Wire.hexInt("crc32c", crc32c);
        }

        SstFile with(SstBytes content) {
            return new SstFile(
                    UUID.fromString(id),
                    content,
                    indexId,
                    Wire.key("smallest", keys.smallest),
                    Wire.key("largest", keys.largest),
                    bytes,
                    kvs.toSum().sum(),
                    keys.samples.stream().map(key -> Wire.key("samples", key)).toList());
        }

        /** One line about the file. */
        String problem(String what) {
            return file + " (index " + index + "): " + what;
        }

        String missing() {
            return problem("missing");
        }

        String otherLength(long length) {
            String how = length < bytes ? "shorter" : "longer";
            return problem(how + " than in the manifest: " + length + " bytes, not " + bytes);
        }

        String damaged(int found) {
            return problem("damaged: its checksum is " + Wire.hex(found) + ", not " + crc32c);
        }
    }

    /**
     * Keys of an SST in hexadecimal.
     *
     * @param smallest first key
     * @param largest last key
     * @param samples keys whose blocks a node reads back when the SST arrives
     */
    public record Keys(String smallest, String largest, List<String> samples) {}

    public UUID setId() {
        return Wire.uuid("id", id);
    }

    /** The table, with the ids that the keys carry. */
    public Table table() {
        Table table = target.bound();
        if (!target.form.isTable() || (table.id() == target.tableId && target.tableId > 0)) {
            return table;
        }
        throw new BadInputException("the set is for table id " + target.tableId + ", and its schema gives " + table.id()
                + "; build it again");
    }

    /** Bytes of all SSTs. */
    public long bytes() {
        return ssts.stream().mapToLong(Sst::bytes).sum();
    }

    /** Checksums per index, in the table's order. */
    public List<IndexChecksum> sums() {
        return ChecksumBody.toSums(totals);
    }

    /** Whether a file's name is that of an SST: its id and a suffix. */
    static boolean isSst(String name) {
        return name.matches("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\\.sst");
    }

    /** The version of the encoding of a table's rows. */
    static int encoderOf(TableDef table) {
        return table.families() > 1 ? ENCODER_OF_FAMILIES : ENCODER;
    }

    /** This set as an encoder of version 1 built it, which took no notice of FAMILY clauses. */
    StagedManifest inOneFamily() {
        List<TableDef> tables = Ddl.parse(target.schema, "the schema of the set");
        if (tables.stream().allMatch(table -> table.families() == 1)) {
            return this;
        }
        String joined =
                tables.stream().map(table -> DdlText.of(table.inOneFamily())).collect(Collectors.joining("\n\n"));
        Target old = new Target(joined, target.table, target.tableId, target.keyPrefix, target.form);
        return new StagedManifest(version, id, encoder, comparator, old, sources, ssts, totals, rejected, replicas);
    }

    /**
     * Checks that the manifest does not contradict itself.
     *
     * @throws BadInputException if it does
     */
    void check() {
        if (!comparator.equals(COMPARATOR)) {
            throw refused("for the key order " + comparator + ", and this Sluice has " + COMPARATOR);
        }
        Table table = table();
        setId();
        List<KeySpan> spans = new ArrayList<>();
        for (int i = 0; i < table.indexes().size(); i++) {
            spans.add(KeySpan.ofPrefix(prefix(table, i)));
        }
        boolean prefixed = target.form.isTable();
        if (!target.keyPrefix.equals(prefixed ? Wire.hex(spans.get(0).start()) : "")) {
            throw refused("for keys that start with " + target.keyPrefix + ", which the table's do not");
        }
        List<IndexChecksum> sums = new ArrayList<>(SstFile.sums(table, List.of()));
        Map<Integer, SstFile> last = new HashMap<>();
        for (Sst each : ssts) {
            UUID sstId = Wire.uuid("id", each.id);
            if (!each.file.equals(sstId + ".sst")) {
                throw refused("naming the file " + each.file + ", and an SST's file is " + sstId + ".sst in the set");
            }
            int ordinal = table.ordinal(each.indexId);
            if (ordinal < 0 || !table.indexes().get(ordinal).def().name().equals(each.index)) {
                throw refused("naming an index " + each.index + " that the table does not have");
            }
            SstFile sst = each.with(new SstBytes.OnDisk(Path.of(each.file), each.crc()));
            if (prefixed
                    && (!spans.get(ordinal).contains(sst.smallestKey())
                            || !spans.get(ordinal).contains(sst.largestKey()))) {
                throw refused("naming keys outside of the table: " + each.file);
            }
            SstFile before = last.put(each.indexId, sst);
            if (Arrays.compareUnsigned(sst.smallestKey(), sst.largestKey()) > 0
                    || (before != null && Arrays.compareUnsigned(before.largestKey(), sst.smallestKey()) >= 0)) {
                throw refused("naming SSTs that overlap or are not in key order: " + each.file);
            }
            if (sst.samples().stream()
                    .anyMatch(key -> Arrays.compareUnsigned(key, sst.smallestKey()) < 0
                            || Arrays.compareUnsigned(key, sst.largestKey()) > 0)) {
                throw refused("naming samples that are not keys of their SST: " + each.file);
            }
            sums.set(
                    ordinal,
                    new IndexChecksum(each.index, sums.get(ordinal).sum().plus(sst.sum())));
        }
        if (!sums().equals(sums)) {
            throw refused("contradicting itself: its totals are not those of its SSTs");
        }
    }

    private static byte[] prefix(Table table, int ordinal) {
        return new IndexKeys(table).span(ordinal).start();
    }

    static BadInputException refused(String why) {
        return new BadInputException("is " + why);
    }

    /** Whether another set would be built from the same inputs, in the same way, for the same table. */
    boolean sameWork(Target otherTarget, Sources otherSources) {
        return Objects.equals(target, otherTarget) && Objects.equals(sources, otherSources);
    }
}
