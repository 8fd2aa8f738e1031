package io.sluice.sql.transaction;

import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.ImportSession;
import io.sluice.api.node.IngestTiming;
import io.sluice.api.node.SstFile;
import io.sluice.engine.store.Kv;
import io.sluice.engine.store.KvHead;
import io.sluice.engine.store.WriteSet;
import io.sluice.grammar.StatementException;
import io.sluice.model.kv.KeySpan;
import io.sluice.model.kv.KvChecksum;
import io.sluice.model.schema.Ddl;
import io.sluice.model.schema.TableDef;
import io.sluice.model.text.DatumFormatter;
import io.sluice.node.NodeSettings;
import io.sluice.node.StorageNode;
import io.sluice.node.catalog.TableRecord;
import io.sluice.testing.Script;
import io.sluice.testing.TestSsts;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The commands of scripts about transactions on a table {@code t (k, v)} in a store. Keys are the letters a to z;
 * {@code b-d} is the span from b up to, but without, d. In an answer the end {@code d+} includes d.
 *
 * <pre>
 * commit K=V...         inserts rows in a transaction of their own
 * import K=V...         adds rows by an import
 * table                 the committed rows, and whether the table's checksum is that of its KVs
 * T begin               begins transaction T
 * T insert K=V...       inserts rows
 * T delete K...         deletes rows
 * T erase SPAN...       deletes the rows of spans unread
 * T check SPAN...       adds keys to the read set
 * T get K...            values of keys
 * T scan SPAN           rows of a span
 * T heads SPAN          the same, as the keys that a DELETE by span visits
 * T written             the write set
 * T net                 change of the number of rows
 * T commit, rollback    ends the transaction
 * T prepare             prepares it, as a branch of a distributed transaction
 * T decide commit|abort ends a prepared transaction
 * union SPAN...         a set of keys
 * coarse N SPAN...      the same, in at most N spans
 * meet SPAN... / SPAN... whether two sets have a key in common
 * </pre>
 */
final class TransactionScript implements Script.Subject, AutoCloseable {
    private static final String DDL = "CREATE TABLE t (k STRING PRIMARY KEY, v STRING NOT NULL)";
    /** So few that a script can exceed it. */
    private static final int RECENT_COMMITS = 3;

    private final Path directory;
    private final TableDef def;
    private final StorageNode node;
    private final Commits commits;
    private final StoreTables tables;
    private final Map<String, Session> sessions = new HashMap<>();
    /** Names of keys, by their bytes. */
    private final Map<ByteBuffer, String> letters = new HashMap<>();

    /** A transaction of the script, with what an intent to prepare it takes. */
    private static final class Session implements Tables {
        private final UUID id = UUID.randomUUID();
        private final StoreTables tables;
        private final long since;
        private final long publications;
        private @Nullable ReadWriteSet readWriteSet;
        private final Transaction transaction;

        Session(StoreTables tables) {
            this.tables = tables;
            since = tables.commits().latest();
            publications = tables.catalog().guard().publications();
            transaction = new Transaction(this, 1 << 20, true);
        }

        @Override
        public Snapshot snapshot(ReadWriteSet set, boolean multiStatement) {
            readWriteSet = set;
            return tables.snapshot(set, multiStatement);
        }

        @Override
        public io.sluice.model.schema.@Nullable Table table(String name) {
            return tables.table(name);
        }

        @Override
        public byte @Nullable [] position(String log) {
            return tables.position(log);
        }

        @Override
        public boolean closed() {
            return tables.closed();
        }

        @Override
        public void close() {}

        Intent intent() {
            return Intent.of(since, publications, Objects.requireNonNull(readWriteSet));
        }

        TableAccess access() {
            return transaction.require("t");
        }
    }

    TransactionScript(Path directory) throws Exception {
        this.directory = directory;
        def = Ddl.parse(DDL, "test").get(0);
        node = StorageNode.open(directory.resolve("store"), NodeSettings.defaults());
        commits = new Commits(node.store(), node.catalog(), RECENT_COMMITS, 1 << 20);
        tables = new StoreTables(node.store(), node.catalog(), commits);
        publish(ImportRequest.of(def, IngestTiming.AT_END), List.of());
        TableAccess access = new Session(tables).access();
        for (char letter = 'a'; letter <= 'z'; letter++) {
            letters.put(ByteBuffer.wrap(row(access, letter + "=").key()), String.valueOf(letter));
        }
    }

    @Override
    public String answer(String command, List<String> args) throws Exception {
        return switch (command) {
            case "commit" -> {
                Session own = new Session(tables);
                args.forEach(each -> insert(own, each));
                yield commit(own);
            }
            case "import" -> append(args);
            case "table" -> table();
            case "union" -> drawn(union(args));
            case "coarse" -> drawn(union(args.subList(1, args.size())).coarse(Integer.parseInt(args.get(0))));
            case "meet" -> {
                int cut = args.indexOf("/");
                boolean meet = union(args.subList(0, cut)).intersects(union(args.subList(cut + 1, args.size())));
                yield meet ? "yes" : "no";
            }
            default -> inTransaction(command, args.get(0), args.subList(1, args.size()));
        };
    }

    private String inTransaction(String name, String what, List<String> args) {
        Session session = sessions.computeIfAbsent(name, none -> new Session(tables));
        switch (what) {
            case "begin" -> {}
            case "insert" -> args.forEach(each -> insert(session, each));
            case "delete" -> args.forEach(each -> session.access().remove(0, stored(session, each)));
            case "erase" -> erase(session, union(args).spans());
            case "check" -> union(args).spans().forEach(session.transaction::check);
            case "get" -> {
                return args.stream()
                        .map(key -> Objects.requireNonNullElse(value(session, key), "none"))
                        .collect(Collectors.joining(" "));
            }
            case "scan" -> {
                return scan(session, union(args).spans().get(0));
            }
            case "heads" -> {
                List<String> seen = new ArrayList<>();
                session.access().heads(union(args).spans().get(0), head -> seen.add(letter(head)));
                return String.join(" ", seen);
            }
            case "written" -> {
                return drawn(session.intent().written());
            }
            case "net" -> {
                return session.intent().difference().values().stream()
                        .map(sum -> Long.toString(sum.count()))
                        .collect(Collectors.joining());
            }
            case "commit" -> {
                return commit(Objects.requireNonNull(sessions.remove(name)));
            }
            case "rollback" ->
                Objects.requireNonNull(sessions.remove(name)).transaction.close();
            case "prepare" -> {
                return refused(() -> commits.prepare(session.id, session.intent(), new WriteSet()), "prepared");
            }
            case "decide" -> {
                commits.end(session.id, args.get(0).equals("commit"), new WriteSet());
                Objects.requireNonNull(sessions.remove(name)).transaction.close();
            }
            default -> throw new IllegalArgumentException("no such command: " + what);
        }
        return "";
    }

    private static String commit(Session session) {
        try (Transaction transaction = session.transaction) {
            return refused(transaction::commit, "committed");
        }
    }

    private static String refused(Runnable work, String otherwise) {
        try {
            work.run();
            return otherwise;
        } catch (StatementException e) {
            return "refused: " + e.text();
        }
    }

    private String append(List<String> rows) throws Exception {
        publish(ImportRequest.append(def), rows);
        return "";
    }

    private void publish(ImportRequest request, List<String> rows) throws Exception {
        List<List<@Nullable String>> texts = new ArrayList<>();
        rows.forEach(each -> texts.add(Arrays.asList(each.split("=", -1))));
        try (ImportSession session = node.beginImport(request)) {
            List<SstFile> ssts = texts.isEmpty() ? List.of() : TestSsts.build(session.table(), texts, directory);
            ssts.forEach(session::ship);
            session.finalizeIngest();
            session.publish(
                    request.append()
                            ? Objects.requireNonNull(session.append())
                                    .checkOverlap(10)
                                    .after()
                            : TestSsts.sums(session.table(), ssts));
        }
    }

    private String table() {
        Session session = new Session(tables);
        try (session.transaction) {
            KeySpan all = session.access().keys().span(0);
            TableRecord record = Objects.requireNonNull(node.catalog().table("t"));
            KvChecksum recorded = record.imported().get(0).sum();
            return scan(session, all) + "; the checksum is "
                    + (recorded.equals(sum(session, List.of(all))) ? "right" : "wrong");
        }
    }

    private static Kv row(TableAccess table, String text) {
        return table.encoded(TestSsts.row(table.table(), Arrays.asList(text.split("=", -1))))
                .get(0);
    }

    private static byte[] key(Session session, String letter) {
        return row(session.access(), letter + "=").key();
    }

    private static void insert(Session session, String text) {
        session.access().insert(0, row(session.access(), text));
    }

    private static Kv stored(Session session, String letter) {
        byte[] key = key(session, letter);
        return new Kv(key, Objects.requireNonNull(session.access().row(key), letter));
    }

    private static @Nullable String value(Session session, String letter) {
        byte[] key = key(session, letter);
        byte[] value = session.access().row(key);
        return value == null ? null : value(session, new Kv(key, value));
    }

    private static @Nullable String value(Session session, Kv kv) {
        TableAccess table = session.access();
        return DatumFormatter.format(
                table.decoded(kv), 1, table.table().def().columns().get(1).type());
    }

    private String scan(Session session, KeySpan span) {
        List<String> rows = new ArrayList<>();
        session.access().entries(0, span, kv -> rows.add(letter(kv) + "=" + value(session, kv)));
        return rows.isEmpty() ? "no rows" : String.join(" ", rows);
    }

    private static KvChecksum sum(Session session, List<KeySpan> spans) {
        KvChecksum.Accumulator sum = new KvChecksum.Accumulator(session.access().digest(0));
        for (KeySpan span : spans) {
            session.access().entries(0, span, kv -> {
                sum.add(kv.key(), kv.value());
                return true;
            });
        }
        return sum.sum();
    }

    private static void erase(Session session, List<KeySpan> spans) {
        TableAccess table = session.access();
        session.transaction.erase(
                table.tree(), spans, Map.of(new Overlay.IndexId(table.table().id(), 0), sum(session, spans)));
    }

    private SpanSet union(List<String> spans) {
        Map<String, byte[]> keys = new TreeMap<>();
        letters.forEach((key, letter) -> {
            byte[] bytes = new byte[key.remaining()];
            key.duplicate().get(bytes);
            keys.put(letter, bytes);
        });
        List<KeySpan> all = new ArrayList<>();
        for (String span : spans) {
            int dash = span.indexOf('-');
            byte[] start = Objects.requireNonNull(keys.get(span.substring(0, 1)));
            all.add(
                    dash < 0
                            ? SpanSet.point(start)
                            : new KeySpan(start, Objects.requireNonNull(keys.get(span.substring(dash + 1)))));
        }
        return SpanSet.of(all);
    }

    private String drawn(SpanSet set) {
        return set.spans().stream()
                .map(span -> {
                    String start = letter(span.start());
                    boolean point = Arrays.equals(SpanSet.point(span.start()).end(), span.end());
                    return point ? start : start + "-" + letter(span.end());
                })
                .collect(Collectors.joining(" "));
    }

    private String letter(Kv kv) {
        return letter(kv.key());
    }

    private String letter(KvHead head) {
        return letter(Arrays.copyOf(head.key(), head.keyLength()));
    }

    /** The end of a span after a single key is that key and a zero byte, shown as the key and a plus. */
    private String letter(byte[] key) {
        String letter = letters.get(ByteBuffer.wrap(key));
        return letter != null ? letter : letters.get(ByteBuffer.wrap(key, 0, key.length - 1)) + "+";
    }

    @Override
    public void close() {
        sessions.values().forEach(session -> session.transaction.close());
        node.close();
    }
}
