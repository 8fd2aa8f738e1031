package io.sluice.it.support;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion.VersionFlag;
import com.networknt.schema.oas.OpenApi30;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/** The service's openapi.yaml, which every answer that a test gets is held to. */
public final class Contract {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Set<String> METHODS = Set.of("get", "post", "put", "delete");

    private final JsonNode document;
    private final JsonSchemaFactory schemas;
    private final Map<JsonNode, JsonSchema> compiled = new HashMap<>();

    private Contract(JsonNode document) {
        this.document = document;
        schemas = JsonSchemaFactory.getInstance(VersionFlag.V7, builder -> builder.metaSchema(OpenApi30.getInstance())
                .defaultMetaSchemaIri(OpenApi30.getInstance().getIri()));
    }

    /** Reads the document from the class path. */
    public static Contract read() {
        try (InputStream in = Contract.class.getResourceAsStream("/io/sluice/service/openapi.yaml")) {
            Object loaded = new Yaml(new SafeConstructor(new LoaderOptions())).load(in);
            return new Contract(JSON.valueToTree(loaded));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** All operations, as METHOD and path. */
    public Set<String> operations() {
        Set<String> operations = new TreeSet<>();
        for (Map.Entry<String, JsonNode> path : document.path("paths").properties()) {
            for (String member : (Iterable<String>) path.getValue()::fieldNames) {
                if (METHODS.contains(member)) {
                    operations.add(member.toUpperCase(Locale.ROOT) + " " + path.getKey());
                }
            }
        }
        return operations;
    }

    /** The operations without exactly one of the declared tags, by which readers and generators group them. */
    public Set<String> operationsOfNoGroup() {
        Set<String> tags = new TreeSet<>();
        document.path("tags").forEach(tag -> tags.add(tag.path("name").asText()));
        Set<String> found = operations();
        found.removeIf(operation -> {
            JsonNode own = operation(operation).path("tags");
            return own.size() == 1 && tags.contains(own.path(0).asText());
        });
        return found;
    }

    /** The operations whose responses lack a status. */
    public Set<String> operationsWithout(String status) {
        Set<String> found = operations();
        found.removeIf(operation -> operation(operation).path("responses").has(status));
        return found;
    }

    private JsonNode operation(String operation) {
        String[] parts = operation.split(" ", 2);
        return document.path("paths").path(parts[1]).path(parts[0].toLowerCase(Locale.ROOT));
    }

    /**
     * The members without a value, by their paths. YAML makes one of each part behind a comma in a text without quotes.
     */
    public List<String> membersWithoutValue() {
        List<String> found = new ArrayList<>();
        addMembersWithoutValue("", document, found);
        return found;
    }

    private static void addMembersWithoutValue(String path, JsonNode node, List<String> found) {
        if (node.isNull()) {
            found.add(path);
        }
        node.properties()
                .forEach(member -> addMembersWithoutValue(path + "/" + member.getKey(), member.getValue(), found));
        for (int i = 0; node.isArray() && i < node.size(); i++) {
            addMembersWithoutValue(path + "/" + i, node.get(i), found);
        }
    }

    /** Holds an answer to what the document says of it. */
    synchronized void check(HttpResponse<String> answer) {
        String asked = answer.request().method() + " " + answer.uri().getPath() + ": " + answer.statusCode();
        JsonNode operation = operation(answer);
        JsonNode response = deref(operation.path("responses").path(Integer.toString(answer.statusCode())));
        assertTrue(response.isObject(), asked + " is not in openapi.yaml: " + answer.body());
        for (Map.Entry<String, JsonNode> header : response.path("headers").properties()) {
            assertTrue(answer.headers().firstValue(header.getKey()).isPresent(), asked + " lacks " + header.getKey());
        }
        JsonNode content = response.path("content");
        if (content.isMissingNode()) {
            assertEquals("", answer.body(), asked);
            return;
        }
        String type = answer.headers().firstValue("content-type").orElse("none").replaceAll("\\s*;.*", "");
        JsonNode schema = content.path(type).path("schema");
        assertTrue(schema.isObject(), asked + " has content of type " + type);
        if (type.matches(".*[/+]json")) {
            assertPlainNumbers(answer.body(), asked);
            try {
                List<String> errors = new ArrayList<>();
                compiled(schema)
                        .validate(JSON.readTree(answer.body()))
                        .forEach(error -> errors.add(error.getMessage()));
                assertEquals(List.of(), errors, asked + "\n" + answer.body());
            } catch (IOException e) {
                throw new AssertionError(asked + " is no JSON: " + answer.body(), e);
            }
        }
    }

    /** The rule of docs/reference/report.md: three decimals at most, and no exponent. */
    private static void assertPlainNumbers(String body, String asked) {
        try (JsonParser tokens = JSON.createParser(body)) {
            for (JsonToken token = tokens.nextToken(); token != null; token = tokens.nextToken()) {
                if (token.isNumeric()) {
                    assertTrue(tokens.getText().matches("-?\\d+(\\.\\d{1,3})?"), asked + ": " + tokens.getText());
                }
            }
        } catch (IOException e) {
            throw new AssertionError(asked + " is no JSON: " + body, e);
        }
    }

    private JsonNode operation(HttpResponse<String> answer) {
        String path = answer.uri().getRawPath();
        for (Map.Entry<String, JsonNode> each : document.path("paths").properties()) {
            String pattern = "\\Q" + each.getKey().replaceAll("\\{[a-z]+}", "\\\\E[^/:]+\\\\Q") + "\\E";
            if (path.matches(pattern)) {
                JsonNode operation =
                        each.getValue().path(answer.request().method().toLowerCase(Locale.ROOT));
                assertTrue(operation.isObject(), answer.request().method() + " " + path + " is not in openapi.yaml");
                return operation;
            }
        }
        throw new AssertionError(path + " is not in openapi.yaml");
    }

    private JsonNode deref(JsonNode node) {
        String reference = node.path("$ref").asText();
        return reference.isEmpty() ? node : document.at(reference.substring(1));
    }

    private JsonSchema compiled(JsonNode schema) {
        return compiled.computeIfAbsent(schema, node -> {
            ObjectNode whole = JSON.createObjectNode();
            whole.putArray("allOf").add(node);
            whole.set("components", document.path("components"));
            return schemas.getSchema(whole);
        });
    }
}
