import { existsSync, readFileSync } from 'node:fs';
import type { DataDirectory } from '@refledger/engines';
import { decodeSecretsKey } from '@refledger/platform';
import { UsageError } from '../exit-codes.js';

export type SecretsKeys = readonly [Buffer, ...Buffer[]];

/** Reads SECRETS_KEY; undefined if it is not set. Throws `ConfigError`. */
export type ReadSecretsKeys = () => readonly Buffer[] | undefined;

/** The keys in SECRETS_KEY; undefined if it is not set. */
export const givenSecretsKeys = (readSecretsKeys: ReadSecretsKeys): SecretsKeys | undefined => {
  const [first, ...others] = readSecretsKeys() ?? [];
  return first && [first, ...others];
};

/** The keys in SECRETS_KEY, or else the key in the directory. Throws `UsageError` if there is none. */
export const secretsKeysOf = (
  { secretsKey: file }: DataDirectory,
  readSecretsKeys: ReadSecretsKeys,
): SecretsKeys => {
  const [first = keyIn(file), ...others] = readSecretsKeys() ?? [];
  if (first === undefined)
    throw new UsageError(
      `SECRETS_KEY is not set, and ${file} holds no key. Set SECRETS_KEY to the value that the service uses.`,
    );
  return [first, ...others];
};

const keyIn = (file: string): Buffer | undefined =>
  existsSync(file) ? decodeSecretsKey(readFileSync(file, 'utf8').trim()) : undefined;
