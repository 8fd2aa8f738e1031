package io.sluice.it.imports;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import org.gaul.s3proxy.AuthenticationType;
import org.gaul.s3proxy.S3Proxy;
import org.jclouds.ContextBuilder;
import org.jclouds.blobstore.BlobStore;
import org.jclouds.blobstore.BlobStoreContext;

/** An S3 server on loopback that checks signatures and keeps its objects in a directory. */
final class ObjectStore implements AutoCloseable {
    private static final String KEY = "importer";
    private static final String SECRET = "s3cret-of-the-store";

    private final BlobStoreContext context;
    private final S3Proxy server;

    ObjectStore(Path directory) throws Exception {
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

    void put(String bucket, String key, byte[] content) {
        BlobStore store = context.getBlobStore();
        store.createContainerInLocation(null, bucket);
        store.putBlob(
                bucket,
                store.blobBuilder(key)
                        .payload(content)
                        .contentLength(content.length)
                        .build());
    }

    /** Options of the command that name this server. */
    List<String> options() {
        return List.of("--s3-endpoint", "http://127.0.0.1:" + server.getPort(), "--s3-path-style");
    }

    /** Options of the JVM by which the SDK finds credentials. */
    static List<String> credentials() {
        return credentials(SECRET);
    }

    static List<String> credentials(String secret) {
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
