package io.sluice.service.http;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.linecorp.armeria.common.HttpResponse;
import io.sluice.http.Answers;
import io.sluice.http.ApiRequest;
import io.sluice.http.Bodies;
import io.sluice.importer.decode.CsvDialect;
import io.sluice.importer.decode.Reject;
import io.sluice.importer.decode.ValueFormat;
import io.sluice.importer.job.FirstRecords;
import io.sluice.importer.source.InputFile;
import io.sluice.model.schema.Column;
import io.sluice.model.schema.TableDef;
import io.sluice.service.run.InputPreview;
import io.sluice.service.run.JobRuns;
import io.sluice.service.spec.InvalidSpecException;
import io.sluice.service.spec.RootListing;
import io.sluice.service.spec.SourceRoots;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Handles the requests about inputs before an import: directories below the roots, and first records. */
final class Previews {
    private static final int INPUTS_SHOWN = 20;

    private final JobRuns runs;
    private final SourceRoots roots;

    Previews(JobRuns runs, SourceRoots roots) {
        this.runs = runs;
        this.roots = roots;
    }

    /** Handles {@code GET /v1/files}. */
    HttpResponse files(ApiRequest request) {
        RootListing listing = roots.list(request.query("path"));
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        if (listing.path() != null) {
            json.put("path", listing.path());
        }
        if (listing.parent() != null) {
            json.put("parent", listing.parent());
        }
        json.put("more", listing.more());
        ArrayNode entries = json.putArray("entries");
        for (RootListing.Entry each : listing.entries()) {
            ObjectNode entry = entries.addObject().put("name", each.name()).put("path", each.path());
            entry.put("kind", each.kind());
            if (each.modifiedAt() != null) {
                entry.put("bytes", each.bytes())
                        .put("modifiedAt", each.modifiedAt().toString());
            }
        }
        return Answers.ok(json);
    }

    /** Handles {@code POST /v1/preview}. */
    HttpResponse preview(ApiRequest request) {
        Creation.requireJson(request);
        try {
            return Answers.ok(json(runs.preview(Bodies.tree(request.body()))));
        } catch (InvalidSpecException e) {
            throw Creation.invalid(e);
        }
    }

    private static ObjectNode json(InputPreview preview) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("inputCount", preview.inputs().size());
        ArrayNode inputs = json.putArray("inputs");
        for (InputFile input : preview.inputs().stream().limit(INPUTS_SHOWN).toList()) {
            ObjectNode each = inputs.addObject().put("name", input.name());
            if (input.sizeBytes() >= 0) {
                each.put("bytes", input.sizeBytes());
            }
        }
        json.put("input", preview.format().words());
        ObjectNode format = json.putObject("format").put("type", preview.formatName());
        if (preview.sniffed() != null) {
            put(format, preview.sniffed(), preview.asked().dialect());
        }
        List<String> renamed = preview.renamed();
        if (renamed != null) {
            renamed.forEach(format.putArray("columns")::add);
        }
        InputPreview.Declared declared = preview.declared();
        TableDef table = declared.table();
        json.put("schema", declared.schema()).put("inferred", declared.inferred());
        json.put("table", table.name());
        ArrayNode columns = json.putArray("columns");
        for (int at : table.visibleColumns()) {
            Column column = table.columns().get(at);
            columns.addObject()
                    .put("name", column.name())
                    .put("type", column.type().sql());
        }
        FirstRecords first = preview.first();
        json.put("good", first.rows()).put("bad", first.rejects());
        ArrayNode rows = json.putArray("rows");
        for (List<@Nullable String> row : first.firstRows()) {
            ArrayNode texts = rows.addArray();
            row.forEach(texts::add);
        }
        ArrayNode rejects = json.putArray("rejects");
        first.firstRejects().forEach(each -> rejects.add(json(each)));
        if (preview.problem() != null) {
            json.put("problem", preview.problem());
        }
        return json;
    }

    /** Adds what was found, in the form of a request: delimiter and header, and what the request has otherwise. */
    private static void put(ObjectNode format, CsvDialect found, CsvDialect asked) {
        format.put("delimiter", found.delimiter());
        format.put("header", found.records().header());
        putIfOther(format, "quote", found.quote(), asked.quote());
        putIfOther(format, "escape", found.escape(), asked.escape());
        putIfOther(format, "comment", found.comment(), asked.comment());
        if (found.records().skip() != asked.records().skip()) {
            format.put("skip", found.records().skip());
        }
        ValueFormat values = found.values();
        if (!values.nullTexts().equals(asked.values().nullTexts())) {
            values.nullTexts().forEach(format.putArray("nullif")::add);
        }
        if (values.decimal() != ValueFormat.DEFAULT.decimal()) {
            format.put("decimal", String.valueOf(values.decimal()));
        }
        if (values.thousands() != null) {
            format.put("thousands", values.thousands().toString());
        }
    }

    private static void putIfOther(
            ObjectNode format, String member, @Nullable Character found, @Nullable Character asked) {
        if (!Objects.equals(found, asked)) {
            format.put(member, found == null ? "" : found.toString());
        }
    }

    private static ObjectNode json(Reject reject) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put(reject.place().unit().label(), reject.place().line() + 1);
        json.put("byte", reject.place().byteOffset());
        if (reject.problem().column() != null) {
            json.put("column", reject.problem().column());
        }
        json.put("code", reject.problem().code())
                .put("message", reject.problem().message());
        return json.put("excerpt", reject.excerpt());
    }
}
