package io.sluice.node.shuffle;

import io.sluice.testing.FailingSync;
import java.nio.file.Files;
import java.nio.file.Path;

/** A process that buffers batches while a sync fails once, and prints what each later step answers. */
public final class FailingSyncBuffer {
    private FailingSyncBuffer() {}

    public static void main(String[] args) throws Exception {
        Path fails = Path.of(System.getenv("FAILING_SYNC"));
        try (ShuffleBuffer buffer = ShuffleBuffer.open(Path.of(args[0]), ShuffleBufferTest.SMALL)) {
            ShuffleBufferTest.send(buffer, ShuffleBufferTest.batch(0));
            buffer.sync();
            ShuffleBufferTest.send(buffer, ShuffleBufferTest.batch(1));
            Files.createFile(fails);
            print("sync", buffer::sync);
            Files.delete(fails);
            print("sync", buffer::sync);
            print("take", () -> ShuffleBufferTest.send(buffer, ShuffleBufferTest.batch(2)));
            print("repeated", () -> ShuffleBufferTest.send(buffer, ShuffleBufferTest.batch(0)));
        }
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
