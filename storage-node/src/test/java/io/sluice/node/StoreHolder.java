package io.sluice.node;

import java.io.IOException;
import java.nio.file.Path;

/** A process that holds a store open until it is killed or its input ends. */
final class StoreHolder {
    /** The line that it prints when the store is open. */
    static final String OPEN = "open";

    private StoreHolder() {}

    public static void main(String[] args) throws IOException {
        try (StorageNode node = StorageNode.open(Path.of(args[0]), NodeSettings.defaults())) {
            System.out.println(node.tables().isEmpty() ? OPEN : "unexpected tables");
            while (System.in.read() >= 0) {
                // Wait for the end of the input.
            }
        }
    }
}
