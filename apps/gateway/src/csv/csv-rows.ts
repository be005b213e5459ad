import { stringify } from 'csv-stringify/sync';

/** Returns rows of cells as CSV (RFC 4180), each with a CRLF after it. */
export const csvRows = (rows: readonly (readonly string[])[]): string =>
  stringify(
    rows.map((cells) => [...cells]),
    { record_delimiter: 'windows', quote_record_delimiter: true },
  );
