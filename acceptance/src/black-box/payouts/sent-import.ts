import { expectStatus, type ApiClient, type ApiResponse, type Problem } from '@refledger/testing';

/** The result of a line of an import. */
export interface LineResult {
  readonly line: number;
  readonly status: number;
  readonly id?: string;
  readonly updated?: true;
  readonly replayed?: true;
  readonly problem?: Problem;
}

/** The last line of the response to an import. */
export interface ImportEnd {
  readonly object: 'end';
  readonly lines: number;
  readonly created: number;
  readonly replayed: number;
  readonly updated: number;
  readonly failed: number;
  readonly position: string;
  readonly problem?: Problem;
}

type Body = string | Buffer | (() => AsyncGenerator<Buffer>);

/** Sends an import of payouts. */
export const sendImport = (
  api: ApiClient,
  body: Body,
  contentType: string | null = 'application/x-ndjson',
): Promise<ApiResponse<readonly unknown[]>> =>
  api.send('POST', '/v1/payouts/import', {
    body,
    headers: { 'content-type': contentType ?? undefined },
  });

/** Sends an import of payouts that is accepted. */
export const imported = async (
  api: ApiClient,
  body: Body,
): Promise<{ readonly results: readonly LineResult[]; readonly end: ImportEnd }> => {
  const lines = expectStatus(200, await sendImport(api, body));
  // a decoding boundary: the client has checked every line against the document
  return { results: lines.slice(0, -1) as LineResult[], end: lines.at(-1) as ImportEnd };
};

/** The text of NDJSON with these values. */
export const ndjson = (values: readonly unknown[]): string =>
  values.map((value) => `${JSON.stringify(value)}\n`).join('');

/** The end of an import, in which the other counts are 0. */
export const counts = (over: Partial<ImportEnd>): object => ({
  object: 'end',
  created: 0,
  replayed: 0,
  updated: 0,
  failed: 0,
  ...over,
});
