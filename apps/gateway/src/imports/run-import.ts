import { Readable } from 'node:stream';
import { DomainError, type Problem } from '@refledger/contracts';
import { KeyedMutex } from '@refledger/application';
import type { NdjsonBody } from '../http/request/ndjson-body.js';
import { linesOf, receiveBody, type BodyLimits } from './body-lines.js';
import type { ImportedRecord, ImportResults, LineResult } from './import-results.js';
import { inOrder } from './in-order.js';
import type { Line } from './line-splitter.js';
import { Spool } from './spool.js';

/** What an import does with a line. */
export interface ImportKind<Value> {
  /** Validates the JSON value of a line. Throws an error that names every issue. */
  readonly read: (json: unknown) => Value;
  /** Names the record of a line. Lines of the same record run one after another, in their order. */
  readonly recordOf: (value: Value) => string;
  readonly run: (value: Value) => Promise<ImportedRecord>;
}

export interface ImportLimits extends BodyLimits {
  readonly maxInFlight: number;
}

export interface Import<Value> {
  readonly body: NdjsonBody;
  readonly kind: ImportKind<Value>;
  readonly limits: ImportLimits;
  /** The directory for temporary files. */
  readonly directory: string;
  readonly results: ImportResults;
  /** Returns the problem for an error, and logs its cause if that is internal. */
  readonly problemOf: (error: unknown) => Problem;
}

export interface RunningImport {
  /** The stream of results. When it is closed, no further line is started. */
  readonly ndjson: Readable;
  /** Resolves once no line is in flight and none will begin. */
  readonly ended: Promise<void>;
}

/**
 * Runs an import. Neither side waits for the other: the body is received while the client reads no
 * results, and results are sent while the body is received. Lines wait while 64 MiB of results are
 * waiting.
 */
export const runImport = <Value>(parts: Import<Value>): RunningImport => {
  const { body, directory, limits, results, problemOf } = parts;
  const lines = new Spool(directory);
  const output = new Spool(directory, { inFile: 1_024 });
  const stopped = new AbortController();
  const stop = (error: Error): void => {
    stopped.abort(error);
    void lines.close();
  };
  const ndjson = readableOf(output, () => stop(new Error('the client is gone')));
  receiveBody(body.chunks, lines, limits).catch(stop);

  const run = async (): Promise<void> => {
    let failure: Error | undefined;
    try {
      const problem = await runLines(parts, { lines, output, signal: stopped.signal });
      stopped.signal.throwIfAborted();
      await output.write(results.end(problem));
    } catch (error) {
      if (!body.isClientGone()) problemOf(error);
      failure = asError(error);
    }
    // a response without the end tells the client that results are missing
    output.end(failure);
    await lines.close();
  };
  return { ndjson, ended: run() };
};

interface ImportStreams {
  readonly lines: Spool;
  readonly output: Spool;
  readonly signal: AbortSignal;
}

/** Runs all lines. If the rest of the body was not read, returns the problem that says why. */
const runLines = async <Value>(
  { body, kind, limits, results, problemOf }: Import<Value>,
  { lines, output, signal }: ImportStreams,
): Promise<Problem | undefined> => {
  const records = new KeyedMutex();
  const start = async ({ number, bytes }: Line): Promise<LineResult> => {
    try {
      if (bytes === undefined) throw tooLong(limits);
      const value = kind.read(body.readLine(bytes));
      const imported = await records.run(kind.recordOf(value), () => kind.run(value));
      return { line: number, imported };
    } catch (error) {
      return { line: number, problem: problemOf(error) };
    }
  };
  const write = (result: LineResult): Promise<void> => output.write(results.add(result));
  try {
    const { maxInFlight } = limits;
    await inOrder(linesOf(lines, limits), { start, write, maxInFlight, signal });
    return undefined;
  } catch (error) {
    if (error instanceof DomainError) return problemOf(error);
    throw error;
  }
};

const tooLong = ({ maxLineBytes }: ImportLimits): DomainError =>
  new DomainError(
    'payload_too_large',
    `The line is longer than ${maxLineBytes} bytes. Send a shorter line.`,
  );

const readableOf = (spool: Spool, onClose: () => void): Readable =>
  new Readable({
    read() {
      spool.read().then(
        (bytes) => this.push(bytes ?? null),
        (error: unknown) => this.destroy(asError(error)),
      );
    },
    destroy(error, done) {
      onClose();
      spool.close().then(() => done(error), done);
    },
  });

const asError = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(String(thrown));
