// The fields of a new import: what each is called, where its value goes in the request (a JSON pointer), and how text
// becomes that value and back. The service judges values; here they are only carried.

const lines = { read: text => text.split('\n').map(line => line.trim()).filter(Boolean), write: value => value.join('\n') };
const whole = { read: text => (/^\d+$/.test(text.trim()) ? Number(text) : text.trim()), write: String };
const list = { read: text => text.split(',').map(name => name.trim()).filter(Boolean), write: value => value.join(', ') };
const flag = { read: text => text === 'true', write: value => String(value) };
const asIs = { read: text => text, write: value => value };
/** One character, or the word none for no character: an empty field means that nothing is said. */
const character = { read: text => (text === 'none' ? '' : text), write: value => (value === '' ? 'none' : value) };
/** One text, or several as a JSON array. What is no JSON goes to the service as one text. */
const texts = {
  read: text => {
    if (!text.startsWith('[')) return text;
    try { return JSON.parse(text); } catch { return text; }
  },
  write: value => (typeof value === 'string' ? value : JSON.stringify(value)),
};
const pairs = {
  read: text => Object.fromEntries(lines.read(text).map(line => {
    const at = line.indexOf('=');
    return at < 0 ? [line, ''] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
  })),
  write: value => Object.entries(value).map(([name, each]) => `${name}=${each}`).join('\n'),
};
/** Bytes with a unit, as people write them. What cannot be read goes to the service as it is, which says so. */
const size = {
  read: text => {
    const found = /^(\d+(?:\.\d+)?)\s*([kmgt]?)(i?)b?(?:\/s)?$/i.exec(text.trim());
    return found ? Math.round(Number(found[1]) * (found[3] ? 1024 : 1000) ** ' kmgt'.indexOf(found[2].toLowerCase() || ' ')) : text.trim();
  },
  write: String,
};

const choice = (...values) => values.map(value => [value, value]);
const yesNo = [['', 'no'], ['true', 'yes']];

/** Parts of the form, each with its fields. `open` parts are seen at once. */
export const PARTS = [
  { name: 'What', open: true, fields: [
    { pointer: '/schema', label: 'Schema', kind: 'text', rows: 9, required: true, form: asIs, mono: true, wide: true,
      hint: 'DDL of the table, and of those it refers to. Left empty, the preview below proposes one for the inputs.', placeholder: 'CREATE TABLE orders (\n  id INT8 PRIMARY KEY,\n  customer INT8 NOT NULL,\n  INDEX by_customer (customer)\n);' },
    { pointer: '/inputs', label: 'Inputs', kind: 'text', rows: 4, required: true, form: lines, mono: true, wide: true,
      hint: 'One per line: files, directories and globs below an allowed root, http(s) and s3 addresses.', placeholder: '/data/orders/*.csv.gz' },
    { pointer: '/jobId', label: 'Job id', kind: 'line', form: asIs, mono: true, hint: 'Made up if left out.', placeholder: 'orders-0412' },
    { pointer: '/table', label: 'Table', kind: 'line', form: asIs, mono: true, hint: 'When the schema has several.' },
  ] },
  { name: 'How', open: true, fields: [
    { pointer: '/mode', label: 'Mode', kind: 'choice', options: choice('auto', 'merge', 'direct', 'two-pass'), form: asIs, hint: 'auto samples the input, and the plan names its choice.' },
    { pointer: '/append', label: 'Add to a table that exists', kind: 'choice', options: [['', 'no, make the table'], ['true', 'yes, add rows']], form: flag },
    { pointer: '/onConflict', label: 'Rows with the same key', kind: 'choice', form: asIs,
      options: [['error', 'error: the import fails'], ['first', 'first: the first stays'], ['last', 'last: the last stays'], ['capture', 'capture: rows that lose are kept']] },
    { pointer: '/maxRejects', label: 'Bad records allowed', kind: 'line', form: asIs, placeholder: '0', hint: 'A number, or a share like 1%.' },
    { pointer: '/verify', label: 'Verification', kind: 'choice', options: [['sums', 'sums: free'], ['full', 'full: reads everything again']], form: asIs },
    { pointer: '/bytesPerSecond', label: 'Most bytes per second', kind: 'line', form: size, placeholder: 'no limit', hint: 'Of input, like 50 MB.' },
    { pointer: '/labels', label: 'Labels', kind: 'text', rows: 2, form: pairs, mono: true, placeholder: 'team=sales', hint: 'One name=value per line.' },
  ] },
  { name: 'Format of the input', fields: [
    { pointer: '/format/type', label: 'Format', kind: 'choice', options: choice('auto', 'csv', 'jsonl', 'json', 'avro', 'avro-binary', 'avro-json', 'parquet'), form: asIs },
    { pointer: '/compression', label: 'Compression', kind: 'choice', options: choice('auto', 'none', 'gzip', 'zstd', 'bzip2', 'xz', 'snappy', 'lz4'), form: asIs },
    { pointer: '/charset', label: 'Character set', kind: 'line', form: asIs, placeholder: 'UTF-8' },
    { pointer: '/format/dialect', label: 'CSV dialect', kind: 'choice', form: asIs,
      options: [['', 'default'], ...choice('rfc4180', 'excel', 'tdf', 'mysql', 'postgresql-csv', 'postgresql-text', 'informix', 'informix-csv', 'mongodb-csv', 'mongodb-tsv', 'oracle')] },
    { pointer: '/format/header', label: 'First line is a header', kind: 'choice', options: yesNo, form: flag },
    { pointer: '/format/skip', label: 'Lines to skip', kind: 'line', form: whole, placeholder: '0' },
    { pointer: '/format/delimiter', label: 'Delimiter', kind: 'line', form: asIs, short: true },
    { pointer: '/format/quote', label: 'Quote', kind: 'line', form: character, short: true, hint: 'none for no quotes.' },
    { pointer: '/format/escape', label: 'Escape', kind: 'line', form: character, short: true },
    { pointer: '/format/comment', label: 'Comment', kind: 'line', form: character, short: true },
    { pointer: '/format/nullif', label: 'Text that means NULL', kind: 'line', form: texts, hint: 'Several as a JSON array: ["NA", ""].' },
    { pointer: '/format/shortRows', label: 'Records with too few fields', kind: 'choice', options: [['', 'reject'], ['null', 'null: the rest has defaults or NULL']], form: asIs },
    { pointer: '/format/longRows', label: 'Records with too many fields', kind: 'choice', options: [['', 'reject'], ['ignore', 'ignore: the rest is left out']], form: asIs },
    { pointer: '/format/decimal', label: 'Decimal sign', kind: 'line', form: asIs, short: true, placeholder: '.' },
    { pointer: '/format/thousands', label: 'Sign between thousands', kind: 'line', form: asIs, short: true },
    { pointer: '/format/dateFormat', label: 'Dates', kind: 'line', form: list, mono: true, placeholder: 'dd.MM.yyyy' },
    { pointer: '/format/timeFormat', label: 'Times', kind: 'line', form: list, mono: true, placeholder: 'hh:mm a' },
    { pointer: '/format/timestampFormat', label: 'Timestamps', kind: 'line', form: list, mono: true, placeholder: 'MM/dd/yyyy HH:mm' },
    { pointer: '/format/allowQuotedNull', label: 'Quoted text may mean NULL', kind: 'choice', options: yesNo, form: flag },
    { pointer: '/format/strictQuotes', label: 'Quotes inside unquoted fields are errors', kind: 'choice', options: yesNo, form: flag },
    { pointer: '/format/rowLimit', label: 'Records to take of each input', kind: 'line', form: whole, placeholder: 'all' },
    { pointer: '/format/columns', label: 'Columns, in the order of the input', kind: 'line', form: list, mono: true, wide: true, placeholder: 'id, customer' },
    { pointer: '/format/avroSchema', label: 'Avro schema', kind: 'text', rows: 4, form: asIs, mono: true, wide: true },
    { pointer: '/format/avroStrict', label: 'Avro fields must all be columns', kind: 'choice', options: yesNo, form: flag },
    { pointer: '/format/nanos', label: 'Timestamps with nanoseconds', kind: 'choice', options: choice('reject', 'round'), form: asIs },
    { pointer: '/format/jsonPaths', label: 'JSON members of columns', kind: 'line', form: list, mono: true, wide: true, placeholder: 'city=address.city' },
    { pointer: '/format/jsonUnknown', label: 'JSON members without a column', kind: 'choice', options: choice('ignore', 'reject'), form: asIs },
    { pointer: '/format/jsonDuplicates', label: 'Several JSON members for a column', kind: 'choice', options: choice('reject', 'last'), form: asIs },
  ] },
  { name: 'S3', fields: [
    { pointer: '/s3/endpoint', label: 'Endpoint', kind: 'line', form: asIs, mono: true, wide: true },
    { pointer: '/s3/region', label: 'Region', kind: 'line', form: asIs },
    { pointer: '/s3/pathStyle', label: 'Bucket in the path', kind: 'choice', options: yesNo, form: flag },
  ] },
];

export const FIELDS = PARTS.flatMap(part => part.fields);

/** The request that texts of fields make; empty ones are left out, so the service's defaults hold. */
export function requestOf(texts) {
  const request = {};
  for (const field of FIELDS) {
    const text = texts[field.pointer] ?? '';
    // A delimiter may be a space or a tab.
    if ((field.short ? text : text.trim()) === '') continue;
    const [, ...names] = field.pointer.split('/');
    const last = names.pop();
    const holder = names.reduce((inner, name) => (inner[name] ??= {}), request);
    holder[last] = field.form.read(field.short && text === '\\t' ? '\t' : text);
  }
  return request;
}

/** The texts that make such a request, but for its id, which is another import's. */
export function textsOf(request) {
  const texts = {};
  for (const field of FIELDS) {
    const value = field.pointer.split('/').slice(1).reduce((inner, name) => inner?.[name], request);
    if (value !== undefined && value !== null && field.pointer !== '/jobId') texts[field.pointer] = field.short && value === '\t' ? '\\t' : field.form.write(value);
  }
  return texts;
}

/** The field that a pointer of the service means: the field itself, or the one that the value is part of. */
export function fieldAt(pointer) {
  for (let at = pointer || ''; at; at = at.slice(0, at.lastIndexOf('/'))) {
    if (FIELDS.some(field => field.pointer === at)) return at;
  }
  return null;
}
