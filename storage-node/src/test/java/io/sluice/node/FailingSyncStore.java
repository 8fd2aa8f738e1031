package io.sluice.node;

import io.sluice.engine.store.RocksStore;
import io.sluice.engine.store.RowBatch;
import io.sluice.engine.store.WriteSet;
import io.sluice.testing.FailingSync;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A process whose store writes rows while the sync of another write fails once. It prints what each later step answers.
 */
final class FailingSyncStore {
    private FailingSyncStore() {}

    public static void main(String[] args) throws Exception {
        Path fails = Path.of(System.getenv("FAILING_SYNC"));
        try (RocksStore store = RocksStore.open(Path.of(args[0]), 1 << 20)) {
            store.commit(put(1));
            store.write(new RowBatch(), put(2));
            Files.createFile(fails);
            print("failing", args[1].equals("commit") ? () -> store.commit(put(3)) : store::syncLog);
            Files.delete(fails);
            print("sync", store::syncLog);
            print("commit", () -> store.commit(put(4)));
            print("sync", store::syncLog);
        }
    }

    private static WriteSet put(int n) {
        return new WriteSet().put(new byte[] {(byte) n}, new byte[] {(byte) n});
    }

    private static void print(String step, Runnable work) {
        try {
            work.run();
            FailingSync.say(step + ": done");
        } catch (RuntimeException e) {
            FailingSync.say(step + ": " + e.getMessage());
        }
    }
}
