// Preloaded into a process: kills it as `kill -9` does, before the step that KILL_STEP names. Steps
// are the calls that change files whose path starts with KILL_IN, or that sync KILL_SYNC, counted
// from 1. Writes their number to KILL_COUNT.
const fs = require('node:fs');
const { syncBuiltinESMExports } = require('node:module');

const { writeFileSync } = fs;
const { KILL_STEP, KILL_IN, KILL_SYNC, KILL_COUNT } = process.env;
const isInside = (path) => typeof path === 'string' && path.startsWith(KILL_IN);
let step = 0;

const count = () => {
  if (++step === Number(KILL_STEP)) process.kill(process.pid, 'SIGKILL');
  if (KILL_COUNT !== undefined) writeFileSync(KILL_COUNT, String(step));
};

const counted = (owner, names) => {
  for (const name of names) {
    const original = owner[name];
    owner[name] = function (...args) {
      if (args.some(isInside)) count();
      return original.apply(this, args);
    };
  }
};
counted(fs, ['mkdirSync', 'copyFileSync', 'chmodSync', 'rmSync']);
counted(fs.promises, ['rename', 'rm']);

const { open } = fs.promises;
fs.promises.open = async (path, ...args) => {
  const file = await open(path, ...args);
  if (!isInside(path) && path !== KILL_SYNC) return file;
  for (const name of ['writeFile', 'sync', 'close']) {
    const original = file[name].bind(file);
    file[name] = (...values) => {
      count();
      return original(...values);
    };
  }
  return file;
};
syncBuiltinESMExports();
