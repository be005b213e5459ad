import { readFileSync, writeFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { RecordedRun } from './facts.js';

/** Writes a run to a file: JSON, compressed, in which maps, sets and large integers are tagged. */
export const writeRun = (file: string, run: RecordedRun): void =>
  writeFileSync(file, gzipSync(JSON.stringify(run, tagged), { level: 9 }));

/** Reads a run that `writeRun` wrote. */
export const readRun = (file: string): RecordedRun =>
  JSON.parse(gunzipSync(readFileSync(file)).toString(), untagged) as RecordedRun;

const tagged = (_key: string, value: unknown): unknown => {
  if (value instanceof Map) return { $map: [...(value as Map<unknown, unknown>)] };
  if (value instanceof Set) return { $set: [...(value as Set<unknown>)] };
  return typeof value === 'bigint' ? { $integer: String(value) } : value;
};

const untagged = (_key: string, value: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return value;
  if ('$map' in value) return new Map(value.$map as [unknown, unknown][]);
  if ('$set' in value) return new Set(value.$set as unknown[]);
  return '$integer' in value ? BigInt(value.$integer as string) : value;
};
