package io.sluice.importer.decode.avro;

import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.util.JsonParserDelegate;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.sluice.model.error.Reasons;
import io.sluice.model.text.DatumParser;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;

/**
 * Encodes datums in Avro's JSON encoding (specification, "JSON Encoding") in binary. Stricter than the library, which
 * takes 1.5 for the int 1 and does not look behind the datum; fields may come in any order. One per decoder.
 */
final class JsonDatum {
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();

    /** The highest character of a string that stands for bytes. */
    private static final int MAX_BYTE = 0xff;

    private static final Map<String, Double> SPECIAL =
            Map.of("NaN", Double.NaN, "Infinity", Double.POSITIVE_INFINITY, "-Infinity", Double.NEGATIVE_INFINITY);

    private final Schema schema;
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final BinaryEncoder encoder = EncoderFactory.get().directBinaryEncoder(out, null);

    JsonDatum(Schema schema) {
        this.schema = schema;
    }

    /**
     * Encodes one datum.
     *
     * @throws MalformedDatum when the text is no JSON, or not of the schema; the message says where
     */
    byte[] binary(byte[] text, int from, int to) throws MalformedDatum {
        out.reset();
        try (JsonParser parser = new DoublesInRange(JSON.createParser(text, from, to - from))) {
            write(schema, JSON.readTree(parser), "the record");
        } catch (JsonProcessingException e) {
            throw new MalformedDatum("is no JSON: " + Reasons.withoutClasses(e.getOriginalMessage()));
        } catch (IOException e) {
            throw new MalformedDatum("is no JSON: " + Reasons.plain(e));
        }
        return out.toByteArray();
    }

    private void write(Schema type, JsonNode value, String path) throws IOException, MalformedDatum {
        switch (type.getType()) {
            case NULL -> require(value.isNull(), "null", value, path);
            case BOOLEAN -> {
                require(value.isBoolean(), "true or false", value, path);
                encoder.writeBoolean(value.booleanValue());
            }
            case INT -> {
                require(value.isIntegralNumber() && value.canConvertToInt(), "an int", value, path);
                encoder.writeInt(value.intValue());
            }
            case LONG -> {
                require(value.isIntegralNumber() && value.canConvertToLong(), "a long", value, path);
                encoder.writeLong(value.longValue());
            }
            case FLOAT -> {
                double number = floating(value, path);
                float nearest = (float) number;
                boolean overflow = Float.isInfinite(nearest) && !Double.isInfinite(number);
                require(!overflow && (nearest != 0 || number == 0), "in a float's range", value, path);
                encoder.writeFloat(nearest);
            }
            case DOUBLE -> encoder.writeDouble(floating(value, path));
            case STRING -> {
                require(
                        value.isTextual() && DatumParser.isWhole(value.textValue()),
                        "a string of whole characters",
                        value,
                        path);
                encoder.writeString(value.textValue());
            }
            case BYTES -> encoder.writeBytes(bytes(value, path));
            case FIXED -> {
                byte[] bytes = bytes(value, path);
                require(bytes.length == type.getFixedSize(), type.getFixedSize() + " bytes", value, path);
                encoder.writeFixed(bytes);
            }
            case ENUM -> {
                boolean known = value.isTextual() && type.hasEnumSymbol(value.textValue());
                require(known, "one of " + type.getEnumSymbols(), value, path);
                encoder.writeEnum(type.getEnumOrdinal(value.textValue()));
            }
            case ARRAY -> array(type, value, path);
            case MAP -> map(type, value, path);
            case RECORD -> {
                require(value.isObject(), "an object", value, path);
                for (Schema.Field field : type.getFields()) {
                    String name = "field " + field.name();
                    JsonNode member = value.get(field.name());
                    if (member == null) {
                        throw new MalformedDatum("is not of the schema: " + path + " has no " + name);
                    }
                    write(field.schema(), member, name);
                }
            }
            case UNION -> union(type, value, path);
        }
    }

    private void array(Schema type, JsonNode value, String path) throws IOException, MalformedDatum {
        require(value.isArray(), "an array", value, path);
        encoder.writeArrayStart();
        encoder.setItemCount(value.size());
        for (JsonNode item : value) {
            encoder.startItem();
            write(type.getElementType(), item, "an item of " + path);
        }
        encoder.writeArrayEnd();
    }

    private void map(Schema type, JsonNode value, String path) throws IOException, MalformedDatum {
        require(value.isObject(), "an object", value, path);
        encoder.writeMapStart();
        encoder.setItemCount(value.size());
        for (Map.Entry<String, JsonNode> entry : value.properties()) {
            encoder.startItem();
            encoder.writeString(entry.getKey());
            write(type.getValueType(), entry.getValue(), "a value of " + path);
        }
        encoder.writeMapEnd();
    }

    /** Null as it is; any other value as the only member of an object, named after its branch. */
    private void union(Schema type, JsonNode value, String path) throws IOException, MalformedDatum {
        boolean wrapped = value.isObject() && value.size() == 1;
        String branch = value.isNull() ? "null" : wrapped ? value.fieldNames().next() : "";
        Integer index = type.getIndexNamed(branch);
        if (index == null) {
            throw new MalformedDatum("is not of the schema: " + path
                    + " must be null or an object with one member, named after one of the types "
                    + type.getTypes().stream().map(Schema::getFullName).toList());
        }
        encoder.writeIndex(index);
        write(type.getTypes().get(index), value.isNull() ? value : value.get(branch), path);
    }

    private static double floating(JsonNode value, String path) throws MalformedDatum {
        Double special = value.isTextual() ? SPECIAL.get(value.textValue()) : null;
        if (special != null) {
            return special;
        }
        require(value.isNumber(), "a number", value, path);
        return value.doubleValue();
    }

    /** Refuses numbers that a double could hold only as infinity or zero, which they are not. */
    private static final class DoublesInRange extends JsonParserDelegate {
        DoublesInRange(JsonParser parser) {
            super(parser);
        }

        @Override
        public double getDoubleValue() throws IOException {
            double value = super.getDoubleValue();
            if (Double.isInfinite(value) || (value == 0 && getDecimalValue().signum() != 0)) {
                throw new JsonParseException(this, getText() + " is out of a double's range");
            }
            return value;
        }
    }

    /** A string whose characters are bytes. */
    private static byte[] bytes(JsonNode value, String path) throws MalformedDatum {
        boolean bytes = value.isTextual() && value.textValue().chars().allMatch(c -> c <= MAX_BYTE);
        require(bytes, "a string of characters up to U+00FF, one for each byte", value, path);
        return value.textValue().getBytes(StandardCharsets.ISO_8859_1);
    }

    private static void require(boolean holds, String wanted, JsonNode value, String path) throws MalformedDatum {
        if (!holds) {
            String found = value.toString();
            throw new MalformedDatum("is not of the schema: " + path + " must be " + wanted + ", not "
                    + (found.length() > 40 ? found.substring(0, 40) + "…" : found));
        }
    }
}
