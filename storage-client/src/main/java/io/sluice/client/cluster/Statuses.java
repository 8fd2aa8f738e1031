package io.sluice.client.cluster;

import io.sluice.api.node.NodeStatus;
import io.sluice.api.node.NodeStatus.Load;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Combines the statuses of several nodes. */
final class Statuses {
    private Statuses() {}

    static NodeStatus together(Map<Member, NodeStatus> all) {
        List<String> ids = new ArrayList<>();
        String version = "";
        int nextTableId = 1;
        int height = 0;
        int files = 0;
        long owedBytes = 0;
        long stagedBytes = 0;
        long diskFreeBytes = Long.MAX_VALUE;
        String limiter = "";
        for (Map.Entry<Member, NodeStatus> each : all.entrySet()) {
            NodeStatus status = each.getValue();
            Load load = status.load();
            ids.add(status.id());
            version = status.version();
            nextTableId = Math.max(nextTableId, status.nextTableId());
            height = Math.max(height, load.height());
            files += load.files();
            owedBytes += load.owedBytes();
            stagedBytes += load.stagedBytes();
            diskFreeBytes = Math.min(diskFreeBytes, load.diskFreeBytes());
            if (limiter.isEmpty() && !load.limiter().isEmpty()) {
                limiter = "node " + each.getKey().described() + ": " + load.limiter();
            }
        }
        return new NodeStatus(
                String.join("+", ids),
                version,
                nextTableId,
                new Load(height, files, owedBytes, stagedBytes, diskFreeBytes, limiter));
    }
}
