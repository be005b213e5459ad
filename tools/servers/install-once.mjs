import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { serversFolder } from './servers-folder.mjs';

/** The file that is written last. A folder without it is incomplete, and is installed again. */
const marker = 'installed';
/**
 * No installation takes longer than this. An older lock is a leftover, whichever process has its
 * pid now.
 */
const maxAgeMs = 15 * 60_000;

export const isInstalled = (name) => existsSync(join(serversFolder(), name, marker));

/**
 * Fills the folder `name` with `install(folder)` unless that was done before. Processes that need
 * it at the same time take turns.
 */
export const installOnce = async (name, install) => {
  if (isInstalled(name)) return;
  const folder = join(serversFolder(), name);
  mkdirSync(serversFolder(), { recursive: true });
  const unlock = await lock(`${folder}.lock`);
  try {
    if (isInstalled(name)) return;
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder);
    await install(folder);
    writeFileSync(join(folder, marker), '');
  } finally {
    unlock();
  }
};

const lock = async (file) => {
  for (;;) {
    try {
      writeFileSync(file, String(process.pid), { flag: 'wx' });
      return () => rmSync(file, { force: true });
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    if (isLeftBehind(file)) rmSync(file, { force: true });
    else await sleep(200);
  }
};

const isLeftBehind = (file) => {
  try {
    if (Date.now() - statSync(file).mtimeMs > maxAgeMs) return true;
    const pid = Number(readFileSync(file, 'utf8'));
    if (pid > 0) process.kill(pid, 0);
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
};
