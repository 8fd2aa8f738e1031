package io.sluice.api.wire;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.UUID;

/** The paths of the node's API, relative to its base URL. */
public final class ApiPaths {
    public static final String HEALTH = "/healthz";
    public static final String METRICS = "/metrics";
    public static final String NODE = "/v1/node";
    public static final String TABLES = "/v1/tables";
    public static final String LSM = "/v1/lsm";
    public static final String IMPORTS = "/v1/imports";
    public static final String SSTS = "/v1/ssts";
    public static final String INGEST = "/v1/ingest";
    public static final String SHUFFLE = "/v1/shuffle";
    public static final String SQL = "/v1/sql";
    public static final String TRANSACTIONS = "/v1/transactions";
    public static final String OPERATIONS = "/v1/operations";
    public static final String CLUSTER = "/v1/cluster";
    public static final String CLUSTER_CHANGES = "/v1/cluster/changes";
    public static final String CLUSTER_JOBS = "/v1/cluster/jobs";
    public static final String CLUSTER_LEASE = "/v1/cluster/jobs/lease";

    public static final String REPLICAS = "/v1/replicas";

    private ApiPaths() {}

    /** The path of a node's replicas of a table's ranges. */
    public static String replicas(int tableId) {
        return REPLICAS + "/" + tableId;
    }

    public static String table(String name) {
        return TABLES + "/" + segment(name);
    }

    public static String rows(String table) {
        return table(table) + "/rows";
    }

    public static String splits(String table) {
        return table(table) + "/splits";
    }

    public static String kvs(String table) {
        return table(table) + "/kvs";
    }

    public static String tuning(String table) {
        return table(table) + "/tuning";
    }

    public static String digest(String table) {
        return table(table) + "/digest";
    }

    public static String importOf(UUID id) {
        return IMPORTS + "/" + id;
    }

    public static String directory(UUID importId) {
        return importOf(importId) + "/directory";
    }

    public static String checkpoints(UUID importId) {
        return importOf(importId) + "/checkpoints";
    }

    public static String checkpoint(UUID importId, String key) {
        return checkpoints(importId) + "/" + segment(key);
    }

    public static String present(UUID importId) {
        return importOf(importId) + "/present";
    }

    /** The path to which a client posts a step of an import. */
    public static String step(UUID importId, ImportStep step) {
        return importOf(importId) + "/" + step.path();
    }

    public static String sql(UUID session) {
        return SQL + "/" + session;
    }

    /** The path to which a coordinator posts a step of a distributed transaction. */
    public static String transaction(UUID id, String step) {
        return TRANSACTIONS + "/" + id + "/" + step;
    }

    public static String operation(UUID id) {
        return OPERATIONS + "/" + id;
    }

    public static String sst(UUID id) {
        return SSTS + "/" + id;
    }

    public static String shuffle(UUID importId, int part) {
        return SHUFFLE + "/" + importId + "/" + part;
    }

    /** Encodes a text as one path segment. */
    private static String segment(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
