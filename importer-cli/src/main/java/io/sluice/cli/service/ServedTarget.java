package io.sluice.cli.service;

import io.sluice.api.node.NodeClient;
import io.sluice.cli.lsm.PageData;
import io.sluice.client.RemoteSettings;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.node.StorageNode;
import io.sluice.service.run.Target;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The import target of a service: a store in this process, or nodes on a network. Closing it closes them. */
final class ServedTarget implements Target, AutoCloseable {
    private final NodeClient node;
    private final Path workDirectory;
    private final @Nullable Path store;
    private final List<RemoteSettings> remotes;

    private ServedTarget(NodeClient node, Path workDirectory, @Nullable Path store, List<RemoteSettings> remotes) {
        this.node = node;
        this.workDirectory = workDirectory;
        this.store = store;
        this.remotes = remotes;
    }

    static ServedTarget ofStore(StorageNode node, Path store) {
        return new ServedTarget(node, node.workDirectory(), store, List.of());
    }

    /** Returns the target for remote nodes. Temporary files go to the system's directory. */
    static ServedTarget ofNodes(NodeClient client, List<RemoteSettings> remotes) {
        return new ServedTarget(client, Path.of(System.getProperty("java.io.tmpdir")), null, remotes);
    }

    @Override
    public NodeClient node() {
        return node;
    }

    @Override
    public int nodes() {
        return Math.max(1, remotes.size());
    }

    @Override
    public Path workDirectory() {
        return workDirectory;
    }

    @Override
    public @Nullable Path store() {
        return store;
    }

    /** Of several nodes, the first that has something of the table. */
    @Override
    public @Nullable String lsm(String table) {
        try {
            if (store != null) {
                return PageData.ofStore(store, table);
            }
        } catch (BadInputException e) {
            // Nothing has happened to the table yet.
            return null;
        }
        for (RemoteSettings each : remotes) {
            String page = ofNode(each, table);
            if (page != null) {
                return page;
            }
        }
        return null;
    }

    private static @Nullable String ofNode(RemoteSettings node, String table) {
        try {
            return PageData.ofNode(node, table);
        } catch (BadInputException | OperationFailedException e) {
            // Another node may have it, or be there.
            return null;
        }
    }

    @Override
    public void close() {
        node.close();
    }
}
