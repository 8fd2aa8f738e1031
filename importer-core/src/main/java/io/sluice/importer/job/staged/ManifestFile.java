package io.sluice.importer.job.staged;

import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.importer.conflict.Fingerprint;
import io.sluice.model.error.BadInputException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/**
 * The file of a {@link StagedManifest}: JSON with two members, the second one's SHA-256 in front. A file that was cut
 * or changed is refused.
 *
 * <pre>
 *   {"sha256":"...","set":
 *   {...}}
 * </pre>
 */
public final class ManifestFile {
    static final String NAME = "manifest.json";

    /** Longest manifest: 256 MiB, enough for a million SSTs. */
    private static final long MOST_BYTES = 256L << 20;

    private static final String HEAD = "{\"sha256\":\"";
    private static final String SET = "\",\"set\":\n";
    private static final String TAIL = "}\n";
    /** The members that sets of earlier builds lack. */
    private static final List<String> LATER = List.of("rejected", "replicas");

    private static final int DIGEST_CHARS = 64;
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .defaultSetterInfo(JsonSetter.Value.forContentNulls(Nulls.FAIL))
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();

    private ManifestFile() {}

    /** Whether the place has a manifest, good or bad. */
    public static boolean exists(SetPlace place) {
        return place.read(NAME, MOST_BYTES) != null;
    }

    /**
     * The text of the file of a manifest.
     *
     * @throws BadInputException if it is longer than what {@link #read} takes
     */
    static byte[] toBytes(StagedManifest manifest) throws IOException {
        return toBytes(manifest, MOST_BYTES);
    }

    static byte[] toBytes(StagedManifest manifest, long most) throws IOException {
        byte[] set = JSON.writeValueAsBytes(manifest);
        long length = HEAD.length() + DIGEST_CHARS + SET.length() + (long) set.length + TAIL.length();
        if (length > most) {
            throw new BadInputException("the manifest of the set would have " + length + " bytes, for "
                    + manifest.ssts().size() + " SSTs and "
                    + manifest.sources().files().size() + " inputs, and can have " + most
                    + "; build several sets, each from a part of the input");
        }
        byte[] head = (HEAD + sha256(set, 0, set.length) + SET).getBytes(StandardCharsets.US_ASCII);
        byte[] text = Arrays.copyOf(head, head.length + set.length + TAIL.length());
        System.arraycopy(set, 0, text, head.length, set.length);
        System.arraycopy(TAIL.getBytes(StandardCharsets.US_ASCII), 0, text, head.length + set.length, TAIL.length());
        return text;
    }

    /**
     * Reads and checks the manifest; does not read the SSTs.
     *
     * @throws BadInputException if there is none, or it is cut, changed, of another version or contradicts itself
     */
    public static StagedManifest read(SetPlace place) {
        String file = place + "/" + NAME;
        byte[] text = place.read(NAME, MOST_BYTES);
        if (text == null) {
            throw new BadInputException(
                    place + ": is no staged set: there is no " + NAME + "; sluice build writes it last");
        }
        try {
            byte[] set = signed(text);
            JsonNode json = JSON.readTree(set);
            int version = json.path("version").asInt();
            int encoder = json.path("encoder").asInt();
            if (version != StagedManifest.VERSION
                    || encoder < StagedManifest.ENCODER
                    || encoder > StagedManifest.ENCODER_OF_FAMILIES) {
                throw StagedManifest.refused("of format version " + version + " and encoder version " + encoder
                        + ", and this Sluice reads " + StagedManifest.VERSION + " and up to "
                        + StagedManifest.ENCODER_OF_FAMILIES
                        + "; use the Sluice that built it");
            }
            if (json instanceof ObjectNode members) {
                LATER.stream().filter(member -> !members.has(member)).forEach(member -> members.put(member, 0));
            }
            StagedManifest manifest = JSON.treeToValue(json, StagedManifest.class);
            if (encoder == StagedManifest.ENCODER) {
                manifest = manifest.inOneFamily();
            }
            manifest.check();
            return manifest;
        } catch (BadInputException e) {
            throw new BadInputException(file + ": " + e.getMessage(), e);
        } catch (JacksonException e) {
            throw new BadInputException(file + ": is not a manifest: " + e.getOriginalMessage(), e);
        } catch (IOException e) {
            throw new BadInputException(file + ": cannot be read: " + e.getMessage(), e);
        }
    }

    /** The bytes of the member {@code set}, whose hash agrees. */
    private static byte[] signed(byte[] text) {
        int from = HEAD.length() + DIGEST_CHARS + SET.length();
        int end = text.length - TAIL.length();
        String head = new String(text, 0, Math.min(from, text.length), StandardCharsets.ISO_8859_1);
        if (!head.startsWith(HEAD) || !head.endsWith(SET)) {
            throw StagedManifest.refused("not a manifest of a staged set");
        }
        if (end < from || text[end] != '}' || text[end + 1] != '\n') {
            throw StagedManifest.refused("cut: its end is missing; copy the set again");
        }
        String found = sha256(text, from, end - from);
        if (!found.equals(head.substring(HEAD.length(), HEAD.length() + DIGEST_CHARS))) {
            throw StagedManifest.refused(
                    "changed since it was written: its own checksum does not agree; copy the set again");
        }
        return Arrays.copyOfRange(text, from, end);
    }

    private static String sha256(byte[] bytes, int offset, int length) {
        MessageDigest digest = Fingerprint.sha256();
        digest.update(bytes, offset, length);
        return HexFormat.of().formatHex(digest.digest());
    }
}
