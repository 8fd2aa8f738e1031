package io.sluice.node;

import io.sluice.api.node.ImportRequest;
import io.sluice.api.node.ImportSession;
import io.sluice.api.node.IndexChecksum;
import io.sluice.api.node.IngestTiming;
import io.sluice.api.node.ShipAnswer;
import io.sluice.api.node.SstFile;
import io.sluice.engine.admit.AdmissionSettings;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.thread.Backoff;
import io.sluice.node.ingest.IngestSettings;
import io.sluice.testing.TestSsts;
import io.sluice.testing.TestTables;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * A process whose node runs out of disk space: another file fills the store's file system during an import, below the
 * gate's reserve, and is removed again. Every printed line is a verified guarantee.
 */
final class FillingNode {
    private static final int SSTS = 6;
    private static final int ROWS_PER_SST = 15_000;
    private static final int NAME_BYTES = 100;

    private FillingNode() {}

    public static void main(String[] args) throws Exception {
        Path disk = Path.of(args[0]);
        Path elsewhere = Path.of(args[1]);
        Random random = new Random(Long.parseLong(args[2]));
        createStores(disk);
        try (StorageNode node = StorageNode.open(disk.resolve("store"), settings())) {
            List<IndexChecksum> before =
                    TestSsts.importTable(node, TestTables.accounts("accounts"), TestTables.accountRows(50), elsewhere);
            try (ImportSession session =
                    node.beginImport(ImportRequest.of(TestTables.customers(), IngestTiming.ON_ARRIVAL))) {
                List<SstFile> ssts = new ArrayList<>();
                for (int i = 0; i < SSTS; i++) {
                    ssts.addAll(TestSsts.build(session.table(), rows(i, random), elsewhere));
                }
                List<SstFile> early = ssts.subList(0, SSTS - 1);
                early.forEach(session::ship);

                Path ballast = disk.resolve("ballast");
                fill(ballast);
                SstFile late = ssts.get(SSTS - 1);
                told("an SST", () -> session.ship(late));
                told("a merge", session::finalizeIngest);
                check(before.equals(node.digest("accounts").indexes()), "the node serves on");

                Files.delete(ballast);
                shipWhenItRecovered(session, late);
                session.finalizeIngest();
                List<IndexChecksum> sums = TestSsts.sums(session.table(), ssts);
                check(sums.equals(session.present()), "nothing acknowledged is missing");
                session.publish(sums);
                check(sums.equals(node.digest("customers").indexes()), "the table reads back whole");
            }
            check(before.equals(node.digest("accounts").indexes()), "other tables are as they were");
        }
    }

    /** Creates stores while the disk has no space for the lock, and then none for the database. */
    private static void createStores(Path disk) throws IOException {
        Path ballast = disk.resolve("ballast");
        fill(ballast);
        for (long freeBytes : new long[] {0, 16 << 10}) {
            try (FileChannel channel = FileChannel.open(ballast, StandardOpenOption.WRITE)) {
                channel.truncate(channel.size() - freeBytes);
            }
            Path store = disk.resolve("new-" + freeBytes);
            told("a new store with " + freeBytes + " bytes", () -> StorageNode.open(store, settings()));
            check(Files.notExists(store), "nothing of the new store is left with " + freeBytes + " bytes");
        }
        Files.delete(ballast);
    }

    /** A gate that admits SSTs up to the last byte, so that the test reaches the code after it. */
    private static NodeSettings settings() {
        AdmissionSettings gate = AdmissionSettings.defaults();
        AdmissionSettings blind = gate.withDisk(new AdmissionSettings.Disk(1, 1));
        return NodeSettings.defaults()
                .withIngest(IngestSettings.defaults()
                        .withSmallSstBytes(0)
                        .withDiskPatienceMillis(0)
                        .withAdmission(blind)
                        .withBackoff(new Backoff(1, 20, 5)));
    }

    private static List<List<@Nullable String>> rows(int part, Random random) {
        List<List<@Nullable String>> rows = new ArrayList<>();
        byte[] name = new byte[NAME_BYTES];
        for (int i = 0; i < ROWS_PER_SST; i++) {
            random.nextBytes(name);
            rows.add(List.of(Integer.toString(i * SSTS + part), HexFormat.of().formatHex(name)));
        }
        return rows;
    }

    private static void fill(Path ballast) throws IOException {
        byte[] block = new byte[4 << 10];
        try (OutputStream out = Files.newOutputStream(ballast)) {
            while (true) {
                out.write(block);
            }
        } catch (IOException e) {
            check(String.valueOf(e.getMessage()).contains("No space left"), "the disk is full");
        }
    }

    private interface Attempt {
        Object run();
    }

    private static void told(String what, Attempt attempt) {
        String answer;
        try {
            answer = String.valueOf(attempt.run());
        } catch (OperationFailedException e) {
            answer = String.valueOf(e.getMessage());
        }
        check(
                answer.contains("No space left") || answer.contains("disk"),
                what + " is refused with the reason: " + answer);
    }

    /** Ships until the tree has noticed the free space after a full disk. */
    private static void shipWhenItRecovered(ImportSession session, SstFile sst) throws InterruptedException {
        RuntimeException last = new IllegalStateException("never tried");
        for (int i = 0; i < 100; i++) {
            try {
                if (session.ship(sst) instanceof ShipAnswer.Taken) {
                    return;
                }
            } catch (OperationFailedException e) {
                last = e;
            }
            Thread.sleep(100);
        }
        throw last;
    }

    private static void check(boolean holds, String promise) {
        if (!holds) {
            throw new AssertionError("not so: " + promise);
        }
        System.out.println(promise);
    }
}
