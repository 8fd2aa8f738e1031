package io.sluice.spark;

import io.sluice.testing.ObjectStore;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;

/** The Spark session and the object store of all tests of a process: each takes seconds to start. */
final class SharedSpark {
    private static @Nullable SparkSession session;
    private static @Nullable ObjectStore objects;

    private SharedSpark() {}

    /** A session of two cores, in which a task may fail three times. */
    static synchronized SparkSession session() {
        SparkSession running = session;
        if (running == null) {
            running = SparkSession.builder()
                    .master("local[2,4]")
                    .config("spark.ui.enabled", false)
                    .config("spark.sql.shuffle.partitions", 3)
                    .config("spark.sql.session.timeZone", "Asia/Kathmandu")
                    .config("spark.driver.bindAddress", "127.0.0.1")
                    .config("spark.driver.host", "127.0.0.1")
                    .getOrCreate();
            session = running;
        }
        return running;
    }

    /** An object store with the bucket {@code sets}, whose credentials this process has. */
    static synchronized ObjectStore objects() throws Exception {
        ObjectStore running = objects;
        if (running == null) {
            running = new ObjectStore(Files.createTempDirectory(Path.of("target"), "objects"));
            running.createBucket("sets");
            running.useCredentials();
            objects = running;
        }
        return running;
    }
}
