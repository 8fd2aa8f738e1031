package io.sluice.importer.source.remote;

import io.sluice.model.error.BadInputException;
import io.sluice.model.error.OperationFailedException;
import io.sluice.model.thread.Backoff;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.core.ResponseInputStream;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3ClientBuilder;
import software.amazon.awssdk.services.s3.S3Configuration;
import software.amazon.awssdk.services.s3.model.GetObjectRequest;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.HeadObjectRequest;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Request;
import software.amazon.awssdk.services.s3.model.S3Exception;
import software.amazon.awssdk.services.s3.model.S3Object;
import software.amazon.awssdk.services.s3.presigner.S3Presigner;

/**
 * Client of an S3-style object store. Only this class and {@link ObjectFolder} use the AWS SDK, which loads slowly; it
 * is created only for arguments that begin with {@code s3://}. The client lives as long as the process.
 */
final class S3Store {
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration SOCKET_TIMEOUT = Duration.ofSeconds(30);
    private static final int MAX_OBJECTS = 100_000;
    static final Set<Integer> TRANSIENT = Set.of(429, 500, 502, 503, 504);
    private static final int FORBIDDEN = 403;
    private static final int NOT_FOUND = 404;
    private static final int CHANGED = 412;

    private final S3Client client;
    private final S3Presigner presigner;
    private final Backoff backoff;

    S3Store(S3Settings settings, Backoff backoff) {
        this.backoff = backoff;
        AwsCredentialsProvider credentials = credentials();
        try {
            S3ClientBuilder builder = S3Client.builder()
                    .credentialsProvider(credentials)
                    .forcePathStyle(settings.pathStyle())
                    .serviceConfiguration(withoutTrailingMd5())
                    .httpClientBuilder(UrlConnectionHttpClient.builder()
                            .connectionTimeout(CONNECT_TIMEOUT)
                            .socketTimeout(SOCKET_TIMEOUT));
            URI endpoint = settings.endpoint();
            if (endpoint != null) {
                builder.endpointOverride(endpoint);
            }
            if (settings.region() != null) {
                builder.region(Region.of(settings.region()));
            } else if (endpoint != null) {
                // Other stores do not have regions, but the signature must name one.
                builder.region(Region.US_EAST_1);
            }
            client = builder.build();
            S3Presigner.Builder signing = S3Presigner.builder()
                    .credentialsProvider(credentials)
                    .region(client.serviceClientConfiguration().region())
                    .serviceConfiguration(S3Configuration.builder()
                            .pathStyleAccessEnabled(settings.pathStyle())
                            .build());
            if (endpoint != null) {
                signing.endpointOverride(endpoint);
            }
            presigner = signing.build();
        } catch (SdkClientException e) {
            throw new BadInputException("no S3 region; name it with --s3-region R, or set AWS_REGION", e);
        }
    }

    /** Switches off the trailing MD5 that the SDK requests by default, since stores other than AWS refuse it. */
    @SuppressWarnings("deprecation") // what replaces it governs other checksums only
    private static S3Configuration withoutTrailingMd5() {
        return S3Configuration.builder().checksumValidationEnabled(false).build();
    }

    private static AwsCredentialsProvider credentials() {
        AwsCredentialsProvider chain = DefaultCredentialsProvider.builder().build();
        try {
            chain.resolveCredentials();
            return chain;
        } catch (SdkException e) {
            throw new BadInputException(
                    "no S3 credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE", e);
        }
    }

    /**
     * The objects of an address: one object, all below a prefix that ends in a slash, or those that match a glob.
     *
     * @throws BadInputException when there is none, or this user may not read it
     */
    List<Remote> find(String address) {
        String rest = address.substring("s3://".length());
        int slash = rest.indexOf('/');
        if (slash <= 0 || slash == rest.length() - 1) {
            throw new BadInputException(address + ": name a bucket and what is in it, as in s3://BUCKET/DIR/*.csv");
        }
        String bucket = rest.substring(0, slash);
        String key = rest.substring(slash + 1);
        try {
            int wildcard = firstWildcard(key);
            if (wildcard >= 0) {
                Remote named = ifThere(bucket, key);
                if (named != null) {
                    return List.of(named);
                }
                PathMatcher matcher = matcher(address, key);
                return list(address, bucket, key.substring(0, wildcard), matcher);
            }
            return key.endsWith("/") ? list(address, bucket, key, path -> true) : List.of(one(bucket, key));
        } catch (SdkException e) {
            throw refused(address, e);
        }
    }

    /** The object of exactly this key; null if there is none, or only a list may tell. */
    private @Nullable Remote ifThere(String bucket, String key) {
        try {
            return one(bucket, key);
        } catch (S3Exception e) {
            if (e.statusCode() == NOT_FOUND || e.statusCode() == FORBIDDEN) {
                return null;
            }
            throw e;
        }
    }

    private static PathMatcher matcher(String address, String glob) {
        try {
            return FileSystems.getDefault().getPathMatcher("glob:" + glob);
        } catch (PatternSyntaxException e) {
            throw new BadInputException(
                    address + ": is no pattern: " + e.getDescription()
                            + "; put \\ before a character that stands for itself",
                    e);
        }
    }

    private static int firstWildcard(String key) {
        for (int i = 0; i < key.length(); i++) {
            if ("*?[{".indexOf(key.charAt(i)) >= 0) {
                return i;
            }
        }
        return -1;
    }

    private Remote one(String bucket, String key) {
        HeadObjectResponse head = client.headObject(
                HeadObjectRequest.builder().bucket(bucket).key(key).build());
        return remote(bucket, key, new S3Version(head.eTag(), head.lastModified(), head.contentLength()));
    }

    private List<Remote> list(String address, String bucket, String prefix, PathMatcher matcher) {
        List<Remote> found = new ArrayList<>();
        ListObjectsV2Request request =
                ListObjectsV2Request.builder().bucket(bucket).prefix(prefix).build();
        for (S3Object object : client.listObjectsV2Paginator(request).contents()) {
            String key = object.key();
            String name = key.substring(key.lastIndexOf('/') + 1);
            boolean visible = !key.endsWith("/") && !name.startsWith(".") && !RemoteInputs.isMarker(name);
            if (visible && matcher.matches(Path.of(key))) {
                found.add(remote(bucket, key, new S3Version(object.eTag(), object.lastModified(), object.size())));
            }
            if (found.size() > MAX_OBJECTS) {
                throw new BadInputException(address + ": more than " + MAX_OBJECTS + " objects; import them in parts");
            }
        }
        if (found.isEmpty()) {
            throw new BadInputException(address + ": no object matches");
        }
        return found;
    }

    private Remote remote(String bucket, String key, S3Version version) {
        String name = "s3://" + bucket + "/" + key;
        return new Remote(name, new S3Origin(name, this, bucket, key, version), version.sizeBytes());
    }

    Backoff backoff() {
        return backoff;
    }

    S3Client client() {
        return client;
    }

    URI presigned(String bucket, String key, Duration valid) {
        try {
            return URI.create(presigner
                    .presignGetObject(signed -> signed.signatureDuration(valid)
                            .getObjectRequest(get -> get.bucket(bucket).key(key)))
                    .url()
                    .toString());
        } catch (SdkException e) {
            throw refused("s3://" + bucket + "/" + key, e);
        }
    }

    /**
     * Opens one version of an object from an offset to its end. It demands the ETag, not the version id, since that
     * would need the right to read old versions.
     */
    InputStream get(String name, String bucket, String key, S3Version version, long offset) throws IOException {
        GetObjectRequest.Builder request =
                GetObjectRequest.builder().bucket(bucket).key(key);
        if (version.etag() != null) {
            request.ifMatch(version.etag());
        } else if (version.lastModified() != null) {
            request.ifUnmodifiedSince(version.lastModified());
        }
        if (offset > 0) {
            request.range("bytes=" + offset + "-");
        }
        try {
            ResponseInputStream<GetObjectResponse> answer = client.getObject(request.build());
            if (!version.isOf(answer.response().eTag(), answer.response().lastModified())) {
                answer.abort();
                throw changed(name);
            }
            String range = answer.response().contentRange();
            if (offset > 0 && (range == null || !range.startsWith("bytes " + offset + "-"))) {
                answer.abort();
                throw new BadInputException(
                        name + ": bytes from " + offset + " on were requested, and the object store sends others ("
                                + (range == null ? "the whole object" : range)
                                + "); fetch the object first, and import it from there");
            }
            return new S3Body(answer);
        } catch (S3Exception e) {
            if (e.statusCode() == CHANGED) {
                throw changed(name);
            }
            if (TRANSIENT.contains(e.statusCode())) {
                throw new TransientException("the store answers " + e.statusCode(), 0, e);
            }
            throw refused(name, e);
        } catch (SdkException e) {
            throw new TransientException(
                    "no answer from the store (" + e.getClass().getSimpleName() + ")", 0, e);
        }
    }

    private static BadInputException changed(String name) {
        return new BadInputException(
                name + ": the object was changed while it was read; nothing was imported. Import it again");
    }

    static RuntimeException refused(String name, SdkException e) {
        if (!(e instanceof S3Exception answer)) {
            return new OperationFailedException(
                    name + ": no answer from the object store; check --s3-endpoint and the network", e);
        }
        return switch (answer.statusCode()) {
            case 404 -> new BadInputException(name + ": there is no such object or bucket; check the address", e);
            case 401, 403 ->
                new BadInputException(
                        name + ": the object store refuses these credentials (" + answer.statusCode()
                                + "); check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE",
                        e);
            case 301, 307, 400 ->
                new BadInputException(
                        name + ": the object store does not understand the request (" + answer.statusCode()
                                + "); check --s3-region, --s3-endpoint and --s3-path-style",
                        e);
            default -> new OperationFailedException(name + ": the object store answers " + answer.statusCode(), e);
        };
    }

    /** A body whose close aborts the connection instead of reading to its end. */
    private static final class S3Body extends java.io.FilterInputStream {
        private final ResponseInputStream<GetObjectResponse> response;

        S3Body(ResponseInputStream<GetObjectResponse> response) {
            super(response);
            this.response = response;
        }

        @Override
        public void close() {
            response.abort();
        }
    }
}
