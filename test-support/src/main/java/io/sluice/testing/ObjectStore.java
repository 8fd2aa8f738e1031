package io.sluice.testing;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import org.gaul.s3proxy.AuthenticationType;
import org.gaul.s3proxy.S3Proxy;
import org.jclouds.ContextBuilder;
import org.jclouds.blobstore.BlobStore;
import org.jclouds.blobstore.BlobStoreContext;
import org.jclouds.blobstore.options.ListContainerOptions;

/** An S3 server on loopback that checks signatures and keeps its objects in a directory. */
public final class ObjectStore implements AutoCloseable {
    private static final String KEY = "importer";
    private static final String SECRET = "s3cret-of-the-store";

    private final Path directory;
    private final BlobStoreContext context;
    private final S3Proxy server;

    /** Starts a server whose objects are files in a directory. */
    public ObjectStore(Path directory) throws Exception {
        this.directory = directory;
        Properties properties = new Properties();
        properties.setProperty("jclouds.filesystem.basedir", directory.toString());
        context = ContextBuilder.newBuilder("filesystem")
                .credentials(KEY, SECRET)
                .overrides(properties)
                .build(BlobStoreContext.class);
        server = S3Proxy.builder()
                .blobStore(context.getBlobStore())
                .endpoint(URI.create("http://127.0.0.1:0"))
                .awsAuthentication(AuthenticationType.AWS_V2_OR_V4, KEY, SECRET)
                .build();
        server.start();
    }

    public void createBucket(String bucket) {
        context.getBlobStore().createContainerInLocation(null, bucket);
    }

    /** The file that holds an object. */
    public Path file(String bucket, String key) {
        return directory.resolve(bucket).resolve(key);
    }

    /** Names of all objects below a prefix, in order, without the prefix. */
    public List<String> names(String bucket, String prefix) {
        ListContainerOptions all =
                new ListContainerOptions().prefix(prefix + "/").recursive();
        return context.getBlobStore().list(bucket, all).stream()
                .map(each -> each.getName().substring(prefix.length() + 1))
                .filter(name -> !name.isEmpty())
                .sorted()
                .toList();
    }

    public void remove(String bucket, String key) {
        context.getBlobStore().removeBlob(bucket, key);
    }

    /** Writes an object, and its bucket. */
    public void put(String bucket, String key, byte[] content) {
        BlobStore store = context.getBlobStore();
        createBucket(bucket);
        store.putBlob(
                bucket,
                store.blobBuilder(key)
                        .payload(content)
                        .contentLength(content.length)
                        .build());
    }

    /** Options of the command that name this server. */
    public List<String> options() {
        return List.of("--s3-endpoint", "http://127.0.0.1:" + server.getPort(), "--s3-path-style");
    }

    /** Address of the server. */
    public String url() {
        return "http://127.0.0.1:" + server.getPort();
    }

    /** Gives this JVM the credentials. */
    public void useCredentials() {
        System.setProperty("aws.accessKeyId", KEY);
        System.setProperty("aws.secretAccessKey", SECRET);
    }

    /** Takes them away again. */
    public void forgetCredentials() {
        System.clearProperty("aws.accessKeyId");
        System.clearProperty("aws.secretAccessKey");
    }

    /** Options of the JVM by which the SDK finds credentials. */
    public static List<String> credentials() {
        return credentials(SECRET);
    }

    /** As {@link #credentials()}, with another secret. */
    public static List<String> credentials(String secret) {
        return List.of("-Daws.accessKeyId=" + KEY, "-Daws.secretAccessKey=" + secret);
    }

    @Override
    public void close() {
        try {
            server.stop();
        } catch (Exception e) {
            throw new AssertionError("the object store does not stop", e);
        } finally {
            context.close();
        }
    }
}
