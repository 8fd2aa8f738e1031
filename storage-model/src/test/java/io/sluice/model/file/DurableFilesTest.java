package io.sluice.model.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@SuppressWarnings("NullAway.Init") // JUnit sets the directory
class DurableFilesTest {
    @TempDir
    Path directory;

    private Path tree(String name) throws IOException {
        Path root = directory.resolve(name);
        for (int i = 0; i < 30; i++) {
            Path inside = Files.createDirectories(root.resolve("d" + i).resolve("e"));
            Files.writeString(inside.resolve("f"), "content");
        }
        return root;
    }

    @Test
    void aTreeIsRemovedByTwoAtOnce() throws Exception {
        ExecutorService two = Executors.newFixedThreadPool(2);
        try {
            for (int i = 0; i < 50; i++) {
                Path root = tree("t" + i);
                Callable<Boolean> removal = () -> {
                    DurableFiles.deleteTree(root);
                    return true;
                };
                for (Future<Boolean> removed : two.invokeAll(List.of(removal, removal))) {
                    assertTrue(removed.get());
                }
                assertFalse(Files.exists(root));
            }
        } finally {
            two.shutdown();
        }
    }

    @Test
    void whatALinkNamesIsKept() throws IOException {
        Path kept = tree("kept");
        Path root = tree("removed");
        Files.createSymbolicLink(root.resolve("link"), kept);
        DurableFiles.deleteTree(root);
        assertFalse(Files.exists(root));
        assertEquals(30, DurableFiles.list(kept).size());
        DurableFiles.deleteTree(root);
    }
}
