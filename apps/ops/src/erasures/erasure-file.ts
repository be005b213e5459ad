import { open, rename, rm, type FileHandle } from 'node:fs/promises';
import { isId, isObject } from '@refledger/contracts';
import { messageOf } from '@refledger/event-log';
import { UsageError } from '../exit-codes.js';
import type { ErasureEntry } from './erasure-entry.js';

/** What is needed to record an erasure again. */
export type ErasureToApply = Pick<ErasureEntry, 'affiliate_id' | 'event_id'>;

/** Writes one line of JSON per erasure. A file that is there is replaced once all are written. */
export const writeExport = async (
  file: string,
  erasures: AsyncIterable<ErasureEntry>,
): Promise<number> => {
  const part = `${file}.part`;
  const handle = await opened(part, 'w');
  let count = 0;
  try {
    for await (const erasure of erasures) {
      await handle.write(`${JSON.stringify(erasure)}\n`);
      count++;
    }
    await handle.sync();
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
  await rename(part, file);
  return count;
};

/**
 * The erasures in a file that `writeExport` wrote. Every line has been checked before the first is
 * returned. Throws `UsageError` that names a bad one.
 */
export const checkedErasures = async (file: string): Promise<AsyncIterable<ErasureToApply>> => {
  for await (const erasure of erasuresIn(file)) void erasure;
  return erasuresIn(file);
};

async function* erasuresIn(file: string): AsyncGenerator<ErasureToApply> {
  const handle = await opened(file, 'r');
  try {
    let number = 0;
    for await (const line of handle.readLines()) {
      number++;
      const entry = entryIn(line);
      if (entry === undefined)
        throw new UsageError(
          `line ${number} of ${file} is no erasure, so nothing was changed. Use a file that ops erasures export wrote.`,
        );
      yield entry;
    }
  } finally {
    await handle.close();
  }
}

const opened = async (file: string, flags: 'r' | 'w'): Promise<FileHandle> => {
  try {
    return await open(file, flags, 0o600);
  } catch (error) {
    throw new UsageError(`cannot open the file: ${messageOf(error)}. Name another file.`);
  }
};

const entryIn = (line: string): ErasureToApply | undefined => {
  const { affiliate_id, event_id } = objectIn(line);
  return isText(affiliate_id) &&
    isId('affiliate', affiliate_id) &&
    isText(event_id) &&
    uuid.test(event_id)
    ? { affiliate_id, event_id }
    : undefined;
};

const objectIn = (line: string): Readonly<Record<string, unknown>> => {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
};

const isText = (value: unknown): value is string => typeof value === 'string';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
