package io.sluice.it.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.api.wire.ClusterBody;
import io.sluice.client.RemoteNode;
import io.sluice.it.support.ClusterProcesses;
import io.sluice.it.support.NodeClocks;
import io.sluice.it.support.NodeNetwork;
import io.sluice.it.support.SluiceProcess.Result;
import io.sluice.it.support.SmallDisk;
import io.sluice.model.error.NodeUnreachableException;
import io.sluice.model.error.SluiceException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Test of a cluster of five node processes with three replicas, while {@link NemesisLoad} and an import work; the
 * import makes a table or adds rows. In each round nodes are lost ({@link Fault}), writes of all rows go on within a
 * bound, and the nodes come back or are replaced. Then:
 *
 * <ul>
 *   <li>no acknowledged increment is lost or doubled;
 *   <li>the sum of the accounts was right in each audit that was committed, and is right now;
 *   <li>an order of the imports and drops of small tables explains what all clients saw of them;
 *   <li>the rows of the import are all there, or none, and are there if the import said so;
 *   <li>all replicas are equal.
 * </ul>
 *
 * <p>The rounds go through the faults in an order that changes.
 */
@SuppressWarnings("NullAway.Init") // JUnit sets the directory
abstract class Nemesis {
    private static final int NODES = 5;
    private static final String[] NEW = {"--replicas", "3"};
    /** Mode merge would leave the few accounts in one range, so that no read needed two nodes. */
    private static final String[] ACCOUNTS = {"--replicas", "3", "--mode", "two-pass"};
    /** Most time until a node that is back serves rows. */
    private static final long BACK_SECONDS = 30;
    /** Far longer than it takes to leave a node out. */
    private static final long PAUSE_SECONDS = 30;

    private static final int IMPORTED_ROWS = 20_000;
    private static final int APPENDED_ROWS = 5_000;
    private static final Duration JUMP = Duration.ofHours(1);
    /** Far beyond the drift of a real clock. */
    private static final double DRIFT = 0.05;
    /** Ways to lose nodes; one per round. Those that cut nodes off need a network of their own. */
    enum Fault {
        /** All packets between the node and the others are lost; clients reach all. */
        CUT_OFF,
        /** The same for two nodes, which reach each other. */
        CUT_OFF_TWO,
        /** Packets from the node to the others are lost, and those to it arrive. */
        MUTE,
        /** Packets from the others to the node are lost, and those from it arrive. */
        DEAF,
        /** SIGKILL; the node is started again. */
        KILL,
        /** SIGSTOP; the node goes on with SIGCONT, {@link #PAUSE_SECONDS} later. */
        PAUSE,
        /** Two nodes get SIGKILL, the second one when writes go on without the first. */
        KILL_TWO,
        /** The disk of the node is full for some time. */
        FULL_DISK,
        /**
         * Clocks jump: one an hour ahead, and one an hour back. The others run fast or slow. In half of the cases they
         * stay wrong, also after later faults.
         */
        SKEW,
        /** SIGKILL, and the store is lost: a new node takes its place. */
        REPLACE;

        boolean needsNetwork() {
            return this == CUT_OFF || this == CUT_OFF_TWO || this == MUTE || this == DEAF;
        }

        boolean lasts() {
            return needsNetwork() || this == FULL_DISK || this == SKEW;
        }
    }

    private final List<Fault> faults;
    private final int rounds;
    private final Duration time;
    private final NemesisLoad.Pace pace;

    /** A network of their own, where this machine can have one; the nodes have a token and TLS then. */
    private @Nullable NodeNetwork network;
    /** Disks of their own, where this machine can have them; one of a node that was replaced is not used any more. */
    private final List<SmallDisk> disks = new ArrayList<>();

    /** Clocks of their own, where this machine can have them. */
    private @Nullable NodeClocks clocks;

    private final long seed = Long.getLong("sluice.seed", System.nanoTime());
    private final Random random = new Random(seed);

    @TempDir
    Path directory;

    private ClusterProcesses cluster;
    private final List<String> names = new ArrayList<>();
    private int sideRows = IMPORTED_ROWS;
    private NemesisLoad load;

    /**
     * Takes as many rounds as given, of which the last one begins within a time.
     *
     * @param faults a machine that lacks what one of them needs leaves it out
     */
    Nemesis(List<Fault> faults, int rounds, Duration time, NemesisLoad.Pace pace) {
        this.faults = new ArrayList<>(faults);
        this.rounds = rounds;
        this.time = time;
        this.pace = pace;
    }

    @BeforeEach
    void start() throws Exception {
        if (faults.stream().anyMatch(Fault::needsNetwork) && NodeNetwork.available()) {
            System.out.println("nemesis: removed what killed runs have left: " + NodeNetwork.removeAbandoned());
            network = new NodeNetwork(NODES);
            cluster = new ClusterProcesses(directory, network, NODES);
        } else {
            cluster = new ClusterProcesses(directory, NODES);
        }
        boolean hasDisks = faults.contains(Fault.FULL_DISK) && SmallDisk.available(directory);
        if (hasDisks) {
            System.out.println("nemesis: removed what killed runs have left: " + SmallDisk.removeAbandoned());
        }
        for (int i = 0; i < NODES; i++) {
            names.add("n" + i);
            if (hasDisks) {
                disks.add(new SmallDisk(cluster.store(i)));
            }
        }
        if (faults.contains(Fault.SKEW) && NodeClocks.lacks().isEmpty()) {
            clocks = NodeClocks.make(directory);
            cluster.setClocks(clocks);
        }
        Set<Fault> all = new HashSet<>(faults);
        faults.removeIf(fault -> network == null && fault.needsNetwork());
        faults.removeIf(fault -> disks.isEmpty() && fault == Fault.FULL_DISK);
        faults.removeIf(fault -> clocks == null && fault == Fault.SKEW);
        faults.forEach(all::remove);
        if (!all.isEmpty()) {
            System.out.println("nemesis: this machine lacks what these faults need: " + all);
        }
        cluster.launchAll();
        load = new NemesisLoad(cluster, directory, seed, pace);
    }

    @AfterEach
    void stop() throws IOException {
        load.close();
        if (network != null) {
            network.heal();
        }
        cluster.close();
        if (network != null) {
            network.close();
        }
        for (SmallDisk disk : disks) {
            disk.close();
        }
    }

    private Path write(String name, int rows, IntFunction<String> row) throws IOException {
        return Files.write(
                directory.resolve(name), IntStream.range(0, rows).mapToObj(row).toList());
    }

    private static String sideRow(int id) {
        return id + "," + id * 7919L % 10_007 + ",0";
    }

    private Result imported(String table, Path csv, String... more) throws IOException {
        Path schema = Files.writeString(
                directory.resolve(table + ".sql"),
                "CREATE TABLE " + table + " (id INT8 PRIMARY KEY, balance INT8, n INT8, INDEX (balance));");
        List<String> command = new ArrayList<>(List.of("import", "--schema", schema.toString()));
        command.addAll(List.of(more));
        command.add(csv.toString());
        return cluster.sluice(command.toArray(new String[0]));
    }

    @Test
    void nothingIsLostDoubledOrHalfDone() throws Exception {
        succeeds(imported("acc", write("acc.csv", pace.rows, id -> id + "," + NemesisLoad.BALANCE + ",0"), ACCOUNTS));
        ensureSpread("acc");
        succeeds(imported("audits", write("audits.csv", 1, id -> "0,0,0"), NEW));
        Path side = write("side.csv", IMPORTED_ROWS, Nemesis::sideRow);
        succeeds(imported("side", side, NEW));
        String digest = cluster.sluice("digest", "side", "--json")
                .report()
                .path("digest")
                .asText();
        assumeTrue(!faults.isEmpty(), "this machine lacks what these faults need");
        long began = System.nanoTime();
        for (int round = 0; round < rounds && System.nanoTime() - began < time.toNanos(); round++) {
            if (round % faults.size() == 0) {
                Collections.shuffle(faults, random);
            }
            Fault fault = faults.get(round % faults.size());
            int victim = victim(fault);
            ClusterBody now = cluster.await(victim, seen -> seen.leader() != null);
            String what = String.format(
                    Locale.ROOT,
                    "seed %d, round %d, %s %s%s",
                    seed,
                    round,
                    fault,
                    names.get(victim),
                    now.node().equals(now.leader()) ? ", the leader" : "");
            System.out.println("nemesis: " + what);
            boolean adds = random.nextBoolean();
            String table = adds ? "side" : "side" + round;
            int first = sideRows;
            Path csv = adds ? write("more.csv", APPENDED_ROWS, i -> sideRow(first + i)) : side;
            String[] how = adds
                    ? new String[] {"--append"}
                    : new String[] {NEW[0], NEW[1], "--mode", random.nextBoolean() ? "two-pass" : "direct"};
            AtomicReference<Result> done = new AtomicReference<>();
            load.start(() -> {
                try {
                    done.set(imported(table, csv, how));
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            try {
                lose(fault, victim, what);
            } finally {
                load.stop();
            }
            Result ended = Objects.requireNonNull(done.get(), what);
            if (adds) {
                checkAppended(ended, what);
            }
            check(what);
            if (!adds) {
                checkImported(table, ended, digest, what);
            }
        }
    }

    /** Checks that reads of the table need several nodes: otherwise those of one moment would be no feat. */
    private void ensureSpread(String table) {
        try (RemoteNode node = new RemoteNode(cluster.access(cluster.urls().get(0)))) {
            Set<String> first = new HashSet<>();
            Objects.requireNonNull(node.table(table))
                    .directory()
                    .ranges()
                    .forEach(range -> first.add(range.nodes().get(0)));
            assertTrue(first.size() > 1, table + " is read from " + first);
        }
    }

    /** Any node; one that was not replaced if its disk is to be full. */
    private int victim(Fault fault) {
        List<Integer> all = IntStream.range(0, NODES)
                .filter(node -> fault != Fault.FULL_DISK || names.get(node).equals("n" + node))
                .boxed()
                .toList();
        return all.isEmpty() ? random.nextInt(NODES) : all.get(random.nextInt(all.size()));
    }

    private void lose(Fault fault, int victim, String what) throws Exception {
        report(what + ", before", load.awaitWritten(System.nanoTime(), what + ", before"));
        TimeUnit.MILLISECONDS.sleep(random.nextInt(2_000));
        int second = (victim + 1 + random.nextInt(NODES - 1)) % NODES;
        long start = System.nanoTime();
        switch (fault) {
            case PAUSE -> signal("STOP", victim);
            case KILL, KILL_TWO, REPLACE -> cluster.node(victim).kill();
            case FULL_DISK -> disks.get(victim).fill();
            case SKEW -> skew(victim, second);
            case CUT_OFF -> network().cutOff(List.of(victim));
            case CUT_OFF_TWO -> network().cutOff(List.of(victim, second));
            case MUTE, DEAF -> {
                for (int other = 0; other < NODES; other++) {
                    if (other != victim) {
                        network().lose(fault == Fault.MUTE ? victim : other, fault == Fault.MUTE ? other : victim);
                    }
                }
            }
        }
        report(what, load.awaitWritten(start, what));
        if (fault.lasts()) {
            // Longer than a node serves rows without contact, and longer than it takes to leave it out.
            TimeUnit.MILLISECONDS.sleep(5_000 + random.nextInt(15_000));
            report(what + ", still", load.awaitWritten(System.nanoTime(), what + ", still"));
        }
        if (fault == Fault.KILL_TWO) {
            start = System.nanoTime();
            cluster.node(second).kill();
            report(what + " and " + names.get(second), load.awaitWritten(start, what + ", the second"));
        }
        if (fault == Fault.PAUSE) {
            long paused = System.nanoTime() - start;
            TimeUnit.NANOSECONDS.sleep(TimeUnit.SECONDS.toNanos(PAUSE_SECONDS) - paused);
            report(what + ", still", load.awaitWritten(System.nanoTime(), what + ", still"));
        }
        int up = IntStream.range(0, NODES)
                .filter(node -> node != victim && node != second)
                .findFirst()
                .orElseThrow();
        switch (fault) {
            case PAUSE -> signal("CONT", victim);
            case SKEW -> {
                if (random.nextBoolean()) {
                    for (int node = 0; node < NODES; node++) {
                        setClock(node, Duration.ZERO, 1);
                    }
                }
            }
            case CUT_OFF, CUT_OFF_TWO, MUTE, DEAF -> network().heal();
            case FULL_DISK -> {
                disks.get(victim).free();
                if (!cluster.node(victim).isAlive()) {
                    restart(victim);
                }
            }
            case KILL -> restart(victim);
            case KILL_TWO -> {
                restart(victim);
                restart(second);
            }
            case REPLACE -> {
                String old = names.get(victim);
                names.set(victim, "x" + System.nanoTime());
                cluster.launchNew(victim, names.get(victim));
                cluster.node(victim).awaitReady();
                cluster.await(up, seen -> seen.members().size() == NODES + 1);
                // The removal counts rows again, and fails while statements change them.
                load.pause();
                succeedsSoon("cluster", "remove", old);
            }
        }
        awaitContact(victim, what);
        cluster.await(victim, seen -> seen.leader() != null && seen.suspects().isEmpty());
        succeedsSoon("cluster", "repair");
    }

    /** Waits until a node that is back serves rows: it has contact to most others. */
    private void awaitContact(int node, String what) throws Exception {
        long start = System.nanoTime();
        try (RemoteNode client = new RemoteNode(cluster.access(cluster.urls().get(node)))) {
            while (lacksContact(client)) {
                if (!cluster.node(node).isAlive()) {
                    // A store that takes no writes ends its node, which may have noticed late.
                    restart(node);
                }
                assertTrue(
                        System.nanoTime() - start < TimeUnit.SECONDS.toNanos(BACK_SECONDS),
                        what + ": node " + names.get(node) + " is back and has no contact");
                TimeUnit.MILLISECONDS.sleep(100);
            }
        }
        System.out.println("nemesis: " + what + ": " + names.get(node) + " has contact again after "
                + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start) + " ms");
    }

    private static boolean lacksContact(RemoteNode node) {
        try {
            Object unused = node.digest("acc");
        } catch (NodeUnreachableException e) {
            return String.valueOf(e.getMessage()).contains("no contact");
        } catch (SluiceException e) {
            // It answers, and does not hold all rows, or is new and holds none.
            return false;
        }
        return false;
    }

    private void skew(int ahead, int behind) throws Exception {
        for (int node = 0; node < NODES; node++) {
            if (node == ahead || node == behind) {
                setClock(node, node == ahead ? JUMP : JUMP.negated(), 1);
            } else {
                setClock(node, Duration.ZERO, random.nextBoolean() ? 1 + DRIFT : 1 - DRIFT);
            }
        }
    }

    /** Sets a clock, and checks that the node goes by it: a fault without an effect would test nothing. */
    private void setClock(int node, Duration offset, double rate) throws Exception {
        Objects.requireNonNull(clocks).set(node, offset, rate);
        Duration wrong = Duration.ZERO;
        for (int tries = 0; tries < 20; tries++) {
            wrong = Duration.between(Instant.now().plus(offset), cluster.clock(node));
            if (wrong.abs().compareTo(JUMP.dividedBy(60)) < 0) {
                return;
            }
            // Nodes write the date of their answers once a second.
            TimeUnit.MILLISECONDS.sleep(200);
        }
        throw new AssertionError("the clock of node " + node + " is wrong by another " + wrong);
    }

    private NodeNetwork network() {
        return Objects.requireNonNull(network);
    }

    private static void report(String what, long millis) {
        System.out.println("nemesis: " + what + ": all rows are written within " + millis + " ms");
    }

    private void restart(int node) throws Exception {
        cluster.relaunch(node);
        cluster.node(node).awaitReady();
    }

    /** A repair may meet the end of an import or of a transaction, and names it; so it is run again. */
    private void succeedsSoon(String... command) throws InterruptedException {
        Result result = cluster.sluice(command);
        for (int tries = 0; result.exitCode() != 0 && tries < 20; tries++) {
            System.out.println("nemesis: " + result);
            TimeUnit.SECONDS.sleep(1);
            result = cluster.sluice(command);
        }
        succeeds(result);
    }

    private void signal(String name, int node) throws Exception {
        long pid = cluster.node(node).pid();
        assertEquals(
                0,
                new ProcessBuilder("kill", "-" + name, Long.toString(pid))
                        .start()
                        .waitFor());
    }

    /** Either all rows are there or none; all, if the append said so. */
    private void checkAppended(Result done, String what) throws IOException {
        Result found = cluster.sluice("digest", "side", "--json");
        succeeds(found);
        int rows = found.report().path("rows").asInt();
        System.out.println("nemesis: the append ended with " + done.exitCode() + ", " + rows + " rows");
        int added = rows - sideRows;
        assertTrue(added == APPENDED_ROWS || (added == 0 && done.exitCode() != 0), what + ": " + added + ", " + done);
        sideRows = rows;
    }

    /** An import that succeeded has its table, and any table is whole; then it is dropped. */
    private void checkImported(String table, Result done, String digest, String what) throws IOException {
        Result found = cluster.sluice("digest", table, "--json");
        System.out.println("nemesis: the import of " + table + " ended with " + done.exitCode() + ", its digest with "
                + found.exitCode());
        if (done.exitCode() == 0 || found.exitCode() == 0) {
            succeeds(found);
            assertEquals(digest, found.report().path("digest").asText(), what + ": " + done);
            succeeds(cluster.sluice("drop", table));
        } else {
            assertTrue(found.err().contains("there is no table"), what + ": " + found + " after " + done);
        }
    }

    private void check(String what) throws Exception {
        for (int i = 0; i < 300; i++) {
            Result inDoubt = cluster.sluice("transactions", "--json");
            if (inDoubt.exitCode() == 0 && inDoubt.out().isBlank()) {
                break;
            }
            assertTrue(i < 299, what + ": " + inDoubt);
            TimeUnit.MILLISECONDS.sleep(200);
        }
        Result verified = cluster.sluice("cluster", "verify");
        assertTrue(verified.out().contains("all replicas are equal"), what + ": " + verified);
        // No statement writes now, so that the rows can be counted.
        succeeds(cluster.sluice("cluster", "repair"));
        Map<String, Integer> rows = new HashMap<>(Map.of("acc", pace.rows, "audits", 1, "side", sideRows));
        NemesisLoad.CATALOG_TABLES.forEach(table -> rows.put(table, NemesisLoad.CATALOG_ROWS));
        for (String line : cluster.sluice("tables", "--json").out().lines().toList()) {
            JsonNode table = new ObjectMapper().readTree(line);
            String name = table.path("table").asText();
            assertEquals(
                    rows.getOrDefault(name, IMPORTED_ROWS), table.path("rows").asInt(), what + ": " + table);
        }
        load.check(cluster.sluice("scan", "acc").out(), what);
    }

    private static void succeeds(Result result) {
        assertEquals(0, result.exitCode(), result.toString());
    }
}
