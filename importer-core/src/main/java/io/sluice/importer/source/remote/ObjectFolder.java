package io.sluice.importer.source.remote;

import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.thread.Backoff;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Request;
import software.amazon.awssdk.services.s3.model.S3Exception;
import software.amazon.awssdk.services.s3.model.S3Object;

/**
 * The objects below a prefix of an S3-style store, by their names behind the prefix. Requests that may succeed later
 * are repeated; a request that stays without answer is an {@link OperationFailedException}. Thread-safe.
 */
public final class ObjectFolder {
    /** Names in one folder: a million SSTs, and some more. */
    private static final int MOST_OBJECTS = 1_001_000;

    private static final int NOT_FOUND = 404;

    private final S3Store store;
    private final String bucket;
    private final String prefix;

    /**
     * A folder; asks nothing.
     *
     * @param address {@code s3://BUCKET/PREFIX}, with or without a slash at its end
     * @throws BadInputException if it names no prefix, or there are no credentials
     */
    public ObjectFolder(String address, S3Settings settings) {
        this(address, settings, RemoteInputs.BACKOFF);
    }

    ObjectFolder(String address, S3Settings settings, Backoff backoff) {
        String rest = address.substring("s3://".length()).replaceFirst("/+$", "");
        int slash = rest.indexOf('/');
        if (slash <= 0 || slash == rest.length() - 1) {
            throw new BadInputException(address + ": name a bucket and a prefix, as in s3://BUCKET/SETS/STOCK");
        }
        store = new S3Store(settings, backoff);
        bucket = rest.substring(0, slash);
        prefix = rest.substring(slash + 1) + '/';
    }

    /** Address of an object, for messages. */
    public String address(String name) {
        return "s3://" + bucket + "/" + prefix + name;
    }

    /** The address without a slash at its end. */
    @Override
    public String toString() {
        return address("").replaceFirst("/$", "");
    }

    /** Lengths of all objects, by name. */
    public Map<String, Long> list() {
        return asking("", () -> {
            Map<String, Long> found = new TreeMap<>();
            ListObjectsV2Request request =
                    ListObjectsV2Request.builder().bucket(bucket).prefix(prefix).build();
            for (S3Object object :
                    store.client().listObjectsV2Paginator(request).contents()) {
                found.put(object.key().substring(prefix.length()), object.size());
                if (found.size() > MOST_OBJECTS) {
                    throw new BadInputException(this + ": holds more than " + MOST_OBJECTS + " objects");
                }
            }
            return found;
        });
    }

    /**
     * Reads a small object; null if there is none.
     *
     * @throws BadInputException if it is longer than {@code most}
     */
    public byte @Nullable [] read(String name, long most) {
        return asking(name, () -> {
            try (InputStream in =
                    store.client().getObject(get -> get.bucket(bucket).key(prefix + name))) {
                byte[] content = in.readNBytes((int) most + 1);
                if (content.length > most) {
                    throw new BadInputException(address(name) + ": is longer than " + most + " bytes");
                }
                return content;
            } catch (S3Exception e) {
                if (e.statusCode() == NOT_FOUND) {
                    return null;
                }
                throw e;
            } catch (IOException e) {
                throw new Unanswered(e);
            }
        });
    }

    /**
     * Opens an object to read it once. A connection that breaks is continued by another one, perhaps of another version
     * of the object: compare a checksum of all bytes.
     *
     * @param bytes length of the object
     */
    public InputStream open(String name, long bytes) {
        S3Version any = new S3Version(null, null, bytes);
        return new ResumingStream(
                address(name),
                offset -> store.get(address(name), bucket, prefix + name, any, offset),
                bytes,
                store.backoff(),
                0);
    }

    /** Writes an object from a file, in one request; the store compares the MD5 of what arrives. */
    public void put(String name, Path file) throws IOException {
        String md5;
        try (InputStream in = Files.newInputStream(file)) {
            DigestInputStream digest = new DigestInputStream(in, md5());
            digest.transferTo(OutputStream.nullOutputStream());
            md5 = Base64.getEncoder().encodeToString(digest.getMessageDigest().digest());
        }
        put(name, md5, RequestBody.fromFile(file));
    }

    /** Writes a small object. */
    public void put(String name, byte[] content) {
        put(name, Base64.getEncoder().encodeToString(md5().digest(content)), RequestBody.fromBytes(content));
    }

    private void put(String name, String md5, RequestBody body) {
        asking(name, () -> store.client()
                .putObject(put -> put.bucket(bucket).key(prefix + name).contentMD5(md5), body));
    }

    private static MessageDigest md5() {
        try {
            return MessageDigest.getInstance("MD5");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has MD5", e);
        }
    }

    /** An address from which its holder can read an object for that long, without other credentials. */
    public URI presigned(String name, Duration valid) {
        return store.presigned(bucket, prefix + name, valid);
    }

    /** Removes an object, if there is one. */
    public void delete(String name) {
        asking(name, () -> store.client()
                .deleteObject(delete -> delete.bucket(bucket).key(prefix + name)));
    }

    /** Asks until there is an answer, or no more tries. */
    private <T extends @Nullable Object> T asking(String name, Supplier<T> request) {
        for (int failures = 1; ; failures++) {
            try {
                return request.get();
            } catch (Unanswered e) {
                if (failures >= store.backoff().attempts()) {
                    throw new OperationFailedException(
                            address(name) + ": the connection to the object store broke " + failures
                                    + " times in a row; try again later",
                            e);
                }
            } catch (SdkException e) {
                boolean again = !(e instanceof S3Exception answer) || S3Store.TRANSIENT.contains(answer.statusCode());
                if (!again || failures >= store.backoff().attempts()) {
                    throw S3Store.refused(address(name), e);
                }
            }
            Backoff.sleep(store.backoff().jitteredMillis(failures), "waiting for the object store");
        }
    }

    /** A connection that broke while a body was read. */
    private static final class Unanswered extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Unanswered(IOException cause) {
            super(cause);
        }
    }
}
