import { randomBytes, randomUUID } from 'node:crypto';
import { link, open, readFile, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';

/** What should be a key is none. The message says where, never what is there. */
export class SecretsKeyUnusable extends Error {
  override readonly name = 'SecretsKeyUnusable';
}

/**
 * The key kept in this file (base64 and a line feed, as `SECRETS_KEY` takes it); made, with mode 0600, where there is none.
 * Of several that start at once one makes it and all answer the same key. A file that holds anything else is refused, never replaced:
 * what was sealed under the key that it held would be lost.
 */
export async function loadSecretsKeyFile(path: string): Promise<Buffer> {
  const text = (await readIfThere(path)) ?? (await create(path));
  const key = decodeKey(text.trim());
  if (key === undefined) throw new SecretsKeyUnusable(`${path} is not a secrets key: it must hold 32 bytes in base64. Put back the file that was there, or what is sealed under it stays unreadable.`);
  return key;
}

function decodeKey(encoded: string): Buffer | undefined {
  const key = Buffer.from(encoded, 'base64');
  return key.length === 32 && key.toString('base64') === encoded ? key : undefined;
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** Written beside its place and linked into it: the file appears whole or not at all, and linking onto one that is there fails. */
async function create(path: string): Promise<string> {
  const draft = `${path}.${randomUUID()}`;
  try {
    await writeDurably(draft, `${randomBytes(32).toString('base64')}\n`);
    await link(draft, path).catch((error: unknown) => {
      if (!hasCode(error, 'EEXIST')) throw error;
    });
  } finally {
    await unlink(draft).catch(() => undefined);
  }
  await syncFolder(dirname(path));
  return readFile(path, 'utf8');
}

async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Makes the new name durable too. Windows can't open a folder, and needs no such step. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

const hasCode = (error: unknown, code: string): boolean => typeof error === 'object' && error !== null && 'code' in error && error.code === code;
