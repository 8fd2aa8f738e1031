package io.sluice.it.security;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.it.support.ServiceClient;
import io.sluice.it.support.SluiceProcess;
import io.sluice.it.support.SluiceProcess.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * With the usual umask, no other user reads what processes leave: stores, the state of a service, bundles of rejects.
 */
class OwnerOnlyIT {
    /** Exit code of an import that left rejects. */
    private static final int REJECTED = 3;

    @TempDir
    @SuppressWarnings("NullAway.Init") // made before each test
    Path directory;

    /** Paths below an accessible directory that other users can read or list. */
    private static List<String> readable(Path path) throws IOException {
        Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(path);
        List<String> found = new ArrayList<>();
        boolean closed = permissions.stream().allMatch(each -> each.name().startsWith("OWNER"));
        if (!closed) {
            found.add(PosixFilePermissions.toString(permissions) + " " + path);
        }
        if (!closed && Files.isDirectory(path)) {
            try (var files = Files.list(path)) {
                for (Path file : files.toList()) {
                    found.addAll(readable(file));
                }
            }
        }
        return found;
    }

    @Test
    void otherUsersReadNothing() throws Exception {
        Assumptions.assumeTrue(
                Files.getFileStore(directory).supportsFileAttributeView("posix"),
                "this machine lacks POSIX permissions of files");
        Path schema = Files.writeString(directory.resolve("t.sql"), "CREATE TABLE t (id INT8 PRIMARY KEY, v STRING);");
        Path input = Files.write(directory.resolve("t.csv"), List.of("1,a", "x,b", "2,c"));
        Path rejects = directory.resolve("rejects");
        // Its owner made this one, and others can enter it.
        Path store = Files.createDirectory(
                directory.resolve("store"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
        Result imported = SluiceProcess.run(
                directory,
                "import",
                "--schema",
                schema.toString(),
                "--store",
                store.toString(),
                "--max-rejects",
                "1",
                "--rejects",
                rejects.toString(),
                "--quiet",
                input.toString());
        assertEquals(REJECTED, imported.exitCode(), imported.toString());
        assertTrue(Files.exists(rejects.resolve("manifest.json")), imported.toString());
        assertEquals(List.of(), readable(rejects));
        assertEquals(List.of("rwxr-xr-x " + store), readable(store));

        Path served = Files.createDirectory(directory.resolve("served"));
        SluiceProcess service = SluiceProcess.serve(served, "127.0.0.1:0", directory);
        try {
            ServiceClient client = new ServiceClient(service.url());
            client.create(ServiceClient.spec("one", Files.readString(schema), input));
            client.finished("one");
        } finally {
            service.terminate();
            Result unused = service.await();
        }
        assertEquals(List.of(), readable(served.resolve("store")));
    }
}
