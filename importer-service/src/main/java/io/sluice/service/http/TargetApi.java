package io.sluice.service.http;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import io.sluice.api.node.NodeStatus;
import io.sluice.api.wire.ProblemKind;
import io.sluice.http.Answers;
import io.sluice.http.ApiRequest;
import io.sluice.http.ProblemException;
import io.sluice.service.run.ServedNode;
import io.sluice.service.run.Target;

/** Handles requests about the nodes and the tables that jobs import into, beside those of the nodes' own API. */
final class TargetApi {
    static final String TABLE = "table";

    private final Target target;

    TargetApi(Target target) {
        this.target = target;
    }

    /** Handles {@code GET /v1/nodes}. */
    HttpResponse nodes(ApiRequest request) {
        ArrayNode nodes = JsonNodeFactory.instance.arrayNode();
        target.members().get().forEach(node -> nodes.add(json(node)));
        return Answers.ok(nodes);
    }

    private static ObjectNode json(ServedNode node) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("name", node.name()).put("role", node.role());
        if (node.address() != null) {
            json.put("address", node.address());
        }
        if (node.problem() != null) {
            json.put("problem", node.problem());
        }
        NodeStatus status = node.status();
        if (status != null) {
            NodeStatus.Load load = status.load();
            json.put("id", status.id()).put("version", status.version());
            json.put("height", load.height()).put("files", load.files());
            json.put("owedBytes", load.owedBytes()).put("stagedBytes", load.stagedBytes());
            json.put("diskFreeBytes", load.diskFreeBytes()).put("limiter", load.limiter());
        }
        return json;
    }

    /** Handles {@code GET /v1/tables/TABLE/lsm}. */
    HttpResponse lsm(ApiRequest request) {
        return history(target, request.path(TABLE));
    }

    /** The history of a table's LSM tree. */
    static HttpResponse history(Target target, String table) {
        String page = target.history().apply(table);
        if (page == null) {
            throw new ProblemException(
                    ProblemKind.NOT_FOUND, "the nodes have no history of an LSM tree of table " + table);
        }
        return HttpResponse.of(HttpStatus.OK, MediaType.JSON_UTF_8, page);
    }
}
