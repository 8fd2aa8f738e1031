package io.sluice.it.imports;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.api.node.AppendPart;
import io.sluice.api.node.AppendSession;
import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.ImportSession;
import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.IngestTiming;
import io.sluice.api.node.OverlapReport;
import io.sluice.api.node.RangeDirectory;
import io.sluice.client.RemoteNode;
import io.sluice.client.RemoteSettings;
import io.sluice.importer.conflict.ConflictPolicy;
import io.sluice.importer.job.ImportReport;
import io.sluice.it.imports.ConflictModel.Thing;
import io.sluice.it.support.FaultyProxy;
import io.sluice.it.support.Imports;
import io.sluice.it.support.Imports.How;
import io.sluice.it.support.Seeds;
import io.sluice.it.support.ServedNode;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.NodeUnreachableException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.kv.KvChecksum;
import io.sluice.model.schema.TableDef;
import io.sluice.node.NodeSettings;
import io.sluice.node.catalog.FencingToken;
import io.sluice.testing.MovableClock;
import io.sluice.testing.SomeTests;
import io.sluice.testing.TestSsts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Appends over the network: as those of an embedded node, also when answers are lost and the node starts again. */
@SuppressWarnings("NullAway.Init") // made before each test
@SomeTests(2)
class RemoteAppendTest {
    private static final long SEED = Seeds.of(RemoteAppendTest.class);
    /** In several column families if the seed is even. */
    private static final TableDef THINGS = ConflictModel.table((int) (SEED & 1));

    private static final int RUNS = 3;
    private static final long MANY_MINUTES = 600_000;

    private final MovableClock clock = new MovableClock();
    private int files;

    @TempDir
    Path directory;

    private ServedNode served;
    private FaultyProxy proxy;
    private RemoteNode client;

    @BeforeEach
    void serve() throws IOException {
        served = open();
        proxy = FaultyProxy.to(address());
        client = new RemoteNode(RemoteSettings.of(proxy.address()).withPatience(20_000, 20_000));
    }

    private ServedNode open() {
        return ServedNode.open(
                directory.resolve("store"), NodeSettings.defaults().withClock(clock));
    }

    private String address() {
        return served.url().substring("http://".length());
    }

    private void startAgain() {
        served.close();
        served = open();
        proxy.retarget(address());
    }

    @AfterEach
    void end() {
        client.close();
        proxy.close();
        served.close();
    }

    @ParameterizedTest
    @EnumSource(ConflictPolicy.class)
    void tableEqualsTheRowByRowModelThoughEachAnswerIsLostOnce(ConflictPolicy policy) throws IOException {
        for (int run = 0; run < RUNS; run++) {
            long seed = SEED + run;
            String context = "seed " + seed;
            Random random = new Random(seed);
            List<Thing> before = ConflictModel.survivors(List.of(), ConflictsTest.things(random), ConflictPolicy.FIRST);
            List<Thing> rows = ConflictsTest.things(random);
            Imports.run(served.node(), THINGS, How.USUAL, write(before));
            String digest = served.node().digest("things").digest();
            How how = How.USUAL.appending().onConflict(policy).allowing(0, directory.resolve("rejects-" + run));
            loseEachAnswerOnce();
            if (policy == ConflictPolicy.ERROR && ConflictModel.conflicting(before, rows)) {
                assertThrows(BadInputException.class, () -> append(how, rows), context);
                assertEquals(digest, served.node().digest("things").digest(), context);
            } else {
                List<Thing> kept = ConflictModel.survivors(before, rows, policy);
                ImportReport report = append(how, rows);
                assertEquals(report.digest(), served.node().digest("things").digest(), context);
                assertEquals(
                        served.node().digest("things").indexes(),
                        Objects.requireNonNull(served.node().table("things")).imported(),
                        context);
                assertEquals(digestOf(kept), report.digest(), context);
            }
            proxy.heal();
            assertEquals(List.of(), served.node().catalog().imports().all(), context);
            assertEquals(List.of(), Imports.leftBehind(directory.resolve("store")), context);
            served.node().drop("things");
        }
    }

    private void loseEachAnswerOnce() {
        Set<String> lost = ConcurrentHashMap.newKeySet();
        proxy.fault((self, path, forward) -> {
            int status = forward.run();
            return lost.add(path) ? 0 : status;
        });
    }

    private ImportReport append(How how, List<Thing> rows) throws IOException {
        Path work = Files.createDirectory(directory.resolve("work-" + files));
        return Imports.run(client, work, THINGS, how, write(rows));
    }

    private String digestOf(List<Thing> rows) throws IOException {
        return String.valueOf(Imports.intoNewStore(directory.resolve("model-" + files), THINGS, How.USUAL, write(rows))
                .digest());
    }

    private static List<@Nullable String> texts(Thing row) {
        List<@Nullable String> texts = new ArrayList<>();
        for (String datum : row.line().split(",", -1)) {
            texts.add(datum.isEmpty() ? null : datum);
        }
        return texts;
    }

    private List<IndexChecksum> shipped(ImportSession session, List<List<@Nullable String>> rows) {
        try {
            List<IndexChecksum> sums =
                    TestSsts.shipAll(session, rows, Files.createDirectory(directory.resolve("ssts-" + files++)));
            session.finalizeIngest();
            return sums;
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private Path write(List<Thing> rows) throws IOException {
        return Files.write(
                directory.resolve("things-" + files++ + ".csv"),
                rows.stream().map(Thing::line).toList());
    }

    @Test
    void appendOfASilentClientIsUndone() throws IOException {
        List<Thing> had = List.of(new Thing(1, "a", 1, "A"));
        List<Thing> comes = List.of(new Thing(2, "b", 1, "B"), new Thing(3, "c", 1, "C"));
        Imports.run(served.node(), THINGS, How.USUAL, write(had));
        String before = served.node().digest("things").digest();
        ImportSession session = client.beginImport(ImportRequest.append(THINGS));
        shipped(session, comes.stream().map(RemoteAppendTest::texts).toList());
        clock.move(Duration.ofSeconds(40));
        awaitRenewal();
        clock.move(Duration.ofSeconds(40));
        served.node().removeExpiredImports();
        OverlapReport overlap = Objects.requireNonNull(session.append()).checkOverlap(10);
        try (RemoteNode other = new RemoteNode(RemoteSettings.of(address()).withPatience(1_000, 1_000))) {
            OperationFailedException busy =
                    assertThrows(OperationFailedException.class, () -> other.beginImport(ImportRequest.append(THINGS)));
            assertTrue(String.valueOf(busy.getMessage()).contains("another import is adding rows"), busy.getMessage());
        }
        proxy.fault((self, path, forward) -> 0);
        clock.move(Duration.ofMinutes(2));
        served.node().removeExpiredImports();
        proxy.heal();
        assertThrows(OperationFailedException.class, () -> session.publish(overlap.after()));
        session.close();
        assertEquals(before, served.node().digest("things").digest());
        assertEquals(List.of(), Imports.leftBehind(directory.resolve("store")));
        assertEquals(2, append(How.USUAL.appending(), comes).rows().imported());
    }

    /** The log of a cluster publishes it in any case. */
    @Test
    @Timeout(120)
    void preparedPartDoesNotAwaitALostNodeAsLongAsAnImport() throws IOException {
        int table;
        try (ImportSession empty =
                client.beginImport(new ImportRequest(THINGS, IngestTiming.AT_END, UUID.randomUUID(), 100))) {
            table = empty.table().id();
            String id = served.node().status().id();
            empty.assign(new RangeDirectory(1, List.of(new RangeDirectory.Range(new byte[0], List.of(id)))));
            empty.finalizeIngest();
            empty.publish(empty.table().indexes().stream()
                    .map(index -> new IndexChecksum(index.def().name(), KvChecksum.EMPTY))
                    .toList());
        }
        RemoteSettings patient = RemoteSettings.of(proxy.address()).withPatience(MANY_MINUTES, MANY_MINUTES);
        try (RemoteNode node = new RemoteNode(patient);
                ImportSession session = node.beginImport(ImportRequest.append(THINGS)
                        .withImportId(UUID.randomUUID())
                        .ofRanges(table))) {
            shipped(session, List.of(texts(new Thing(2, "b", 1, "B")), texts(new Thing(3, "c", 1, "C"))));
            AppendPart part = (AppendPart) Objects.requireNonNull(session.append());
            List<IndexChecksum> after = part.checkOverlap(10).after();
            served.node().catalog().freeze(1, Map.of(table, "owner"));
            part.prepare("owner", after);
            proxy.fault((self, path, forward) -> 0);
            assertThrows(NodeUnreachableException.class, () -> session.publish(after));
            proxy.heal();
            served.node().catalog().freeze(2, Map.of());
        }
        assertEquals(0, served.node().digest("things").rows());
    }

    /** Until the node has heard of the client after the clock was put forward. */
    private void awaitRenewal() {
        while (true) {
            FencingToken token = served.node().catalog().imports().all().get(0).claim();
            if (clock.millis() - Objects.requireNonNull(token).touchedAtMillis() < 30_000) {
                return;
            }
            try {
                TimeUnit.MILLISECONDS.sleep(20);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    @Test
    void appendGoesOnAfterTheNodeStartedAgain() throws IOException {
        List<Thing> had = List.of(new Thing(1, "a", 1, "A"), new Thing(2, "b", 1, "B"), new Thing(9, "x", 4, "C"));
        List<Thing> comes =
                List.of(new Thing(2, "x", 1, "new"), new Thing(3, "a", 2, "new"), new Thing(4, "z", 1, "Z"));
        Imports.run(served.node(), THINGS, How.USUAL, write(had));
        ImportSession session = client.beginImport(ImportRequest.append(THINGS));
        shipped(session, comes.stream().map(RemoteAppendTest::texts).toList());
        startAgain();
        String recovered = String.join("\n", served.node().recovered());
        assertTrue(recovered.contains("which adds rows to table things"), recovered);
        AppendSession append = Objects.requireNonNull(session.append());
        OverlapReport overlap = append.checkOverlap(100);
        assertEquals(3, overlap.collided());
        List<OverlapReport.IndexKey> paged = new ArrayList<>();
        for (int skip = 0; skip < 3; skip++) {
            paged.addAll(append.checkOverlap(skip, 1).collisions());
        }
        for (int i = 0; i < paged.size(); i++) {
            assertArrayEquals(overlap.collisions().get(i).key(), paged.get(i).key());
        }
        List<byte[]> losers = new ArrayList<>();
        append.holders(overlap.collisions())
                .forEach(row -> losers.add(Objects.requireNonNull(row).key()));
        append.replace(losers);
        OverlapReport resolved = append.checkOverlap(100);
        assertEquals(0, resolved.collided());
        startAgain();
        assertEquals(resolved.after(), append.checkOverlap(100).after(), "the replaced rows were forgotten");
        assertEquals(resolved.after(), session.readBack().indexes());
        assertEquals(3, served.node().digest("things").rows());
        session.publish(resolved.after());
        session.publish(resolved.after());
        startAgain();
        session.publish(resolved.after());
        session.close();
        List<Thing> kept = ConflictModel.survivors(had, comes, ConflictPolicy.LAST);
        assertEquals(digestOf(kept), served.node().digest("things").digest());
        assertEquals(
                resolved.after(),
                Objects.requireNonNull(served.node().table("things")).imported());
        assertEquals(List.of(), Imports.leftBehind(directory.resolve("store")));
    }
}
