package io.sluice.bench;

import io.sluice.api.node.KeyTexts;
import io.sluice.api.node.RowCursor;
import io.sluice.api.node.ScanRequest;
import io.sluice.engine.cache.CacheStatistics;
import io.sluice.engine.store.Family;
import io.sluice.engine.store.FamilyNames;
import io.sluice.engine.store.FamilyView;
import io.sluice.engine.store.RocksStore;
import io.sluice.importer.job.ImportJob;
import io.sluice.importer.job.ImportProgress;
import io.sluice.importer.job.ImportSettings;
import io.sluice.importer.source.InputFiles;
import io.sluice.model.file.DurableFiles;
import io.sluice.model.kv.IndexKeys;
import io.sluice.model.schema.Ddl;
import io.sluice.model.schema.Table;
import io.sluice.model.schema.TableDef;
import io.sluice.node.NodeSettings;
import io.sluice.node.StorageNode;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Compares a query by a secondary index with and without the row cache. 2 % of five million documents match; the block
 * cache is large enough and warm in both cases. It measures the whole query, the fetch of its rows, and a get by key.
 * Two copies of one store are open at the same time, and their rounds alternate. It prints medians, and hits and memory
 * of the cache.
 *
 * <p>{@code java -Xmx6g -cp "benchmarks/target/classes:benchmarks/target/lib/*" io.sluice.bench.RowCacheExperiment
 * [documents, 5000000] [rounds, 9] [row cache in MiB, 256]}
 */
public final class RowCacheExperiment {
    private static final int CATEGORIES = 50;
    private static final int TITLE_CHARS = 40;
    private static final int BODY_CHARS = 160;
    private static final int BATCH = 256;
    private static final int GETS = 200_000;
    private static final long SEED = 5;
    /** More than all blocks of the table. */
    private static final long BLOCK_CACHE_BYTES = 3L << 30;

    private static final long IMPORT_MEMORY_BYTES = 1L << 30;
    private static final String CATEGORY = "17";
    private static final String NEXT_CATEGORY = "18";
    private static final String SCHEMA =
            "CREATE TABLE documents (id INT8 PRIMARY KEY, category INT8 NOT NULL, title STRING NOT NULL,"
                    + " body STRING NOT NULL, INDEX by_category (category))";

    private final PrintStream out;
    private final int documents;
    private final int rounds;
    private final long cacheBytes;

    private RowCacheExperiment(PrintStream out, int documents, int rounds, long cacheBytes) {
        this.out = out;
        this.documents = documents;
        this.rounds = rounds;
        this.cacheBytes = cacheBytes;
    }

    /** Something that takes time. */
    private interface Work {
        void run() throws Exception;
    }

    /** Runs the experiment and prints its figures. */
    public static void main(String[] args) throws Exception {
        int documents = args.length > 0 ? Integer.parseInt(args[0]) : 5_000_000;
        int rounds = args.length > 1 ? Integer.parseInt(args[1]) : 9;
        long mebibytes = args.length > 2 ? Long.parseLong(args[2]) : 256;
        new RowCacheExperiment(System.out, documents, rounds, mebibytes << 20).run();
    }

    private void run() throws Exception {
        Path directory = Files.createTempDirectory("sluice-row-cache");
        try {
            Path plain = directory.resolve("plain");
            importDocuments(directory, plain);
            Path cached = directory.resolve("cached");
            link(plain, cached);
            List<List<String>> keys = queries(plain, cached);
            fetches(plain, cached, keys);
        } finally {
            DurableFiles.deleteTree(directory);
        }
    }

    private void importDocuments(Path directory, Path store) throws Exception {
        Path csv = directory.resolve("documents.csv");
        write(csv);
        TableDef def = Ddl.parse(SCHEMA, "the experiment").get(0);
        long begun = System.nanoTime();
        try (StorageNode node = StorageNode.open(store, NodeSettings.defaults())) {
            ImportSettings settings =
                    StockFile.settings(node.workDirectory(), IMPORT_MEMORY_BYTES, ImportSettings.Mode.MERGE);
            new ImportJob(node, def, InputFiles.resolve(List.of(csv.toString())), settings, new ImportProgress()).run();
        }
        out.printf(
                "%,d documents, %,d MB of CSV, imported in %.0f s%n",
                documents, Files.size(csv) >> 20, (System.nanoTime() - begun) / 1e9);
        Files.delete(csv);
    }

    /** Categories are scattered: the rows of one lie all over the table. */
    private void write(Path csv) throws IOException {
        SplittableRandom random = new SplittableRandom(SEED);
        byte[] text = new byte[TITLE_CHARS + 1 + BODY_CHARS];
        try (OutputStream file = new BufferedOutputStream(Files.newOutputStream(csv), 1 << 20)) {
            for (int id = 0; id < documents; id++) {
                for (int i = 0; i < text.length; i++) {
                    text[i] = (byte) ('a' + random.nextInt(26));
                }
                text[TITLE_CHARS] = ',';
                file.write((id + "," + random.nextInt(CATEGORIES) + ",").getBytes(StandardCharsets.US_ASCII));
                file.write(text);
                file.write('\n');
            }
        }
    }

    /** A second store with the same SSTs, which never change. */
    private static void link(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Path target = to.resolve(from.relativize(file));
                if (Files.isDirectory(file)) {
                    Files.createDirectories(target);
                } else if (file.toString().endsWith(".sst")) {
                    Files.createLink(target, file);
                } else {
                    Files.copy(file, target);
                }
            }
        }
    }

    /** Whole queries; returns the primary keys of the rows, in the order of the index. */
    private List<List<String>> queries(Path plainStore, Path cachedStore) throws Exception {
        NodeSettings settings = NodeSettings.defaults().withBlockCacheBytes(BLOCK_CACHE_BYTES);
        try (StorageNode plain = StorageNode.openExisting(plainStore, settings);
                StorageNode cached = StorageNode.openExisting(cachedStore, settings.withRowCacheBytes(cacheBytes))) {
            List<List<String>> keys = new ArrayList<>();
            query(plain, keys);
            List<List<String>> same = new ArrayList<>();
            query(cached, same);
            if (!keys.equals(same)) {
                throw new IllegalStateException("the stores do not answer alike");
            }
            query(cached, new ArrayList<>());
            CacheStatistics before = cached.store().rowCache();
            compare(
                    "query",
                    () -> query(plain, new ArrayList<>()),
                    () -> query(cached, new ArrayList<>()),
                    keys.size());
            CacheStatistics after = cached.store().rowCache();
            long hits = after.hits() - before.hits();
            long misses = after.misses() - before.misses();
            out.printf(
                    "rows of the query: %,d; hits %.2f %%; the cache holds %,d rows in %,d of %,d MiB%n",
                    keys.size(),
                    100.0 * hits / (hits + misses),
                    after.content().entries(),
                    after.content().bytes() >> 20,
                    cacheBytes >> 20);
            return keys;
        }
    }

    private static void query(StorageNode node, List<List<String>> keys) {
        ScanRequest request =
                new ScanRequest("documents", "by_category", List.of(CATEGORY), List.of(NEXT_CATEGORY), Long.MAX_VALUE);
        try (RowCursor rows = node.scan(request)) {
            for (List<@Nullable String> row = rows.next(); row != null; row = rows.next()) {
                keys.add(List.of(String.valueOf(row.get(0))));
            }
        }
    }

    private void fetches(Path plainStore, Path cachedStore, List<List<String>> texts) throws Exception {
        Table table = Table.bind(Ddl.parse(SCHEMA, "the experiment").get(0), 1, name -> null);
        IndexKeys indexKeys = new IndexKeys(table);
        List<byte[]> keys = texts.stream()
                .map(text -> indexKeys.primaryKey(KeyTexts.primaryKey(table, text)))
                .toList();
        try (RocksStore plainRocks = RocksStore.open(plainStore.resolve("db"), BLOCK_CACHE_BYTES);
                RocksStore cachedRocks = RocksStore.open(cachedStore.resolve("db"), BLOCK_CACHE_BYTES, cacheBytes)) {
            Family plain = plainRocks.family(FamilyNames.ofTable(1));
            Family cached = cachedRocks.family(FamilyNames.ofTable(1));
            fetch(plain, keys);
            fetch(cached, keys);
            fetch(cached, keys);
            compare("fetch step", () -> fetch(plain, keys), () -> fetch(cached, keys), keys.size());
            compare("fetch step, one by one", () -> fetchEach(plain, keys), () -> fetchEach(cached, keys), keys.size());
            compare("single get", () -> gets(plain, keys), () -> gets(cached, keys), GETS);
        }
    }

    private static void fetch(Family family, List<byte[]> keys) {
        try (FamilyView view = family.view()) {
            for (int from = 0; from < keys.size(); from += BATCH) {
                List<byte[]> batch = keys.subList(from, Math.min(keys.size(), from + BATCH));
                if (view.rows(batch).contains(null)) {
                    throw new IllegalStateException("a row is missing");
                }
            }
        }
    }

    private static void fetchEach(Family family, List<byte[]> keys) {
        try (FamilyView view = family.view()) {
            for (byte[] key : keys) {
                if (view.row(key) == null) {
                    throw new IllegalStateException("a row is missing");
                }
            }
        }
    }

    private static void gets(Family family, List<byte[]> keys) {
        SplittableRandom random = new SplittableRandom(SEED);
        for (int i = 0; i < GETS; i++) {
            if (family.row(keys.get(random.nextInt(keys.size()))) == null) {
                throw new IllegalStateException("a row is missing");
            }
        }
    }

    private void compare(String what, Work plain, Work cached, int rows) throws Exception {
        List<Double> without = new ArrayList<>();
        List<Double> with = new ArrayList<>();
        for (int i = -2; i < rounds; i++) {
            double a = millis(plain);
            double b = millis(cached);
            // The first two warm the code up.
            if (i >= 0) {
                without.add(a);
                with.add(b);
            }
        }
        double a = median(without);
        double b = median(with);
        out.printf(
                "%s: %.1f ms without the row cache (%.2f us a row), %.1f ms with it (%.2f us a row): %.1f times as"
                        + " fast%n",
                what, a, a * 1000 / rows, b, b * 1000 / rows, a / b);
    }

    private static double millis(Work work) throws Exception {
        long begun = System.nanoTime();
        work.run();
        return (System.nanoTime() - begun) / 1e6;
    }

    private static double median(List<Double> values) {
        Collections.sort(values);
        return values.get(values.size() / 2);
    }
}
