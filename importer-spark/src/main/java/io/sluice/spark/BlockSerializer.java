package io.sluice.spark;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.Serializable;
import java.nio.ByteBuffer;
import org.apache.spark.serializer.DeserializationStream;
import org.apache.spark.serializer.SerializationStream;
import org.apache.spark.serializer.Serializer;
import org.apache.spark.serializer.SerializerInstance;
import scala.reflect.ClassTag;

/**
 * Serializes the records of the shuffle, whose keys and values are bytes: a length of four bytes, then the bytes. Kryo
 * would register its classes anew for each stream, of which a task has one per key range.
 */
final class BlockSerializer extends Serializer implements Serializable {
    private static final long serialVersionUID = 1L;

    @Override
    public SerializerInstance newInstance() {
        return new Instance();
    }

    /** Records do not refer to each other, so Spark may move their bytes without reading them. */
    @Override
    public boolean supportsRelocationOfSerializedObjects() {
        return true;
    }

    private static final class Instance extends SerializerInstance {
        @Override
        public <T> ByteBuffer serialize(T value, ClassTag<T> tag) {
            return ByteBuffer.wrap((byte[]) value);
        }

        @Override
        @SuppressWarnings("unchecked")
        public <T> T deserialize(ByteBuffer bytes, ClassTag<T> tag) {
            byte[] value = new byte[bytes.remaining()];
            bytes.get(value);
            return (T) value;
        }

        @Override
        public <T> T deserialize(ByteBuffer bytes, ClassLoader loader, ClassTag<T> tag) {
            return deserialize(bytes, tag);
        }

        @Override
        public SerializationStream serializeStream(OutputStream out) {
            return new Out(new DataOutputStream(out));
        }

        @Override
        public DeserializationStream deserializeStream(InputStream in) {
            return new In(new DataInputStream(in));
        }
    }

    private static final class Out extends SerializationStream {
        private final DataOutputStream out;

        Out(DataOutputStream out) {
            this.out = out;
        }

        @Override
        public <T> SerializationStream writeObject(T value, ClassTag<T> tag) {
            byte[] bytes = (byte[]) value;
            try {
                out.writeInt(bytes.length);
                out.write(bytes);
            } catch (IOException e) {
                throw BlockSerializer.<RuntimeException>unchanged(e);
            }
            return this;
        }

        @Override
        public void flush() {
            try {
                out.flush();
            } catch (IOException e) {
                throw BlockSerializer.<RuntimeException>unchanged(e);
            }
        }

        @Override
        public void close() {
            try {
                out.close();
            } catch (IOException e) {
                throw BlockSerializer.<RuntimeException>unchanged(e);
            }
        }
    }

    private static final class In extends DeserializationStream {
        private final DataInputStream in;

        In(DataInputStream in) {
            this.in = in;
        }

        /** Reads a key or a value; throws {@link EOFException} at the end of the stream, as Spark expects. */
        @Override
        @SuppressWarnings("unchecked")
        public <T> T readObject(ClassTag<T> tag) {
            try {
                int highest = in.read();
                if (highest < 0) {
                    throw new EOFException();
                }
                return (T) rest(highest);
            } catch (IOException e) {
                throw BlockSerializer.<RuntimeException>unchanged(e);
            }
        }

        private byte[] rest(int highest) throws IOException {
            try {
                int length = highest << 24 | in.readUnsignedByte() << 16 | in.readUnsignedShort();
                if (length < 0) {
                    throw new IOException(
                            "a record of the shuffle has a length below 0; its file or its transfer is damaged");
                }
                byte[] bytes = new byte[length];
                in.readFully(bytes);
                return bytes;
            } catch (EOFException e) {
                throw new IOException("a record of the shuffle ends too early; its file or its transfer is damaged", e);
            }
        }

        @Override
        public void close() {
            try {
                in.close();
            } catch (IOException e) {
                throw BlockSerializer.<RuntimeException>unchanged(e);
            }
        }
    }

    /** Throws an exception as it is: Spark's methods, which are of Scala, throw checked ones without declaring them. */
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <E extends Throwable> RuntimeException unchanged(IOException e) throws E {
        throw (E) e;
    }
}
