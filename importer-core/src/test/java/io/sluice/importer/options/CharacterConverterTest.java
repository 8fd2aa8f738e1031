package io.sluice.importer.options;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

class CharacterConverterTest {
    @Test
    void charactersAndTheNamesOfSome() {
        assertEquals(';', new CsvOptions.CharacterConverter().convert(";"));
        assertEquals('\t', new CsvOptions.CharacterConverter().convert("\\t"));
        assertEquals('\t', new CsvOptions.CharacterConverter().convert("tab"));
    }

    @Test
    void delimitersHaveCodes() {
        CsvOptions.DelimiterConverter converter = new CsvOptions.DelimiterConverter();
        assertEquals("\u0001", converter.convert("\\x01"));
        assertEquals("\u001f", converter.convert("\\u001f"));
        assertEquals("\\x", converter.convert("\\x"));
        assertEquals("\t", converter.convert("\\t"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "ab", "\\x"})
    void noCharacters(String text) {
        assertThrows(TypeConversionException.class, () -> new CsvOptions.CharacterConverter().convert(text));
    }
}
