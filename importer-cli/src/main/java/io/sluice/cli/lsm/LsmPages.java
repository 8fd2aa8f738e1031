package io.sluice.cli.lsm;

import io.sluice.client.RemoteNode;
import io.sluice.client.RemoteSettings;
import io.sluice.engine.lsm.LsmHistory;
import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The data of a table's page, as {@code sluice lsm --html} puts it into one. */
public final class LsmPages {
    private LsmPages() {}

    /**
     * Of a store, which may be in use.
     *
     * @throws BadInputException when nothing happened to such a table
     */
    public static String ofStore(Path store, String table) {
        return PageData.json(Subject.ofStore(store, table, null), Long.MAX_VALUE);
    }

    /**
     * Of a node on a network.
     *
     * @throws BadInputException when nothing happened to such a table there
     */
    public static String ofNode(RemoteSettings settings, String table) {
        return PageData.json(subject(settings, table, null), Long.MAX_VALUE);
    }

    static Subject subject(RemoteSettings settings, @Nullable String table, @Nullable String family) {
        try (RemoteNode node = new RemoteNode(settings);
                InputStream log = node.lsmLog()) {
            return Subject.ofNode(settings.name(), LsmHistory.ofStream(log), table, family);
        } catch (IOException e) {
            throw new OperationFailedException(
                    "node " + settings.name() + " broke off while it sent its event log: " + e.getMessage(), e);
        }
    }
}
