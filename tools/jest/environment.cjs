// Fails a test file that leaves something open, and says what it is and where it was opened. Jest
// would wait for it forever, or end its worker with only a warning. Also reports how many processes
// the file has started (../progress.mjs).
const { appendFileSync } = require('node:fs');
const { join, relative } = require('node:path');
const { subscribe, unsubscribe } = require('node:diagnostics_channel');
const { setTimeout: sleep } = require('node:timers/promises');
const { TestEnvironment } = require('jest-environment-node');
require('./compile-once.cjs');
require('./count-appended.cjs');

const root = join(__dirname, '../..');

/** How long closed handles may take to disappear. */
const graceMs = 2_000 * Number(process.env.TEST_PATIENCE ?? 1);

module.exports = class extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    this.threads = [];
    this.origins = new WeakMap();
    this.onThread = ({ worker }) => {
      this.threads.push(worker);
      this.origins.set(worker, origin());
    };
    this.file = context.testPath;
    this.started = 0;
    this.onChild = ({ process: child }) => {
      this.started++;
      this.origins.set(child, origin());
    };
  }

  async setup() {
    await super.setup();
    this.before = new Set(process._getActiveHandles());
    subscribe('worker_threads', this.onThread);
    subscribe('child_process', this.onChild);
  }

  handleTestEvent({ name, test }) {
    if (name === 'test_done' && test.errors.length > 0) this.hasFailed = true;
  }

  async teardown() {
    unsubscribe('worker_threads', this.onThread);
    unsubscribe('child_process', this.onChild);
    if (process.env.TEST_PROGRESS_DIR !== undefined)
      appendFileSync(
        join(process.env.TEST_PROGRESS_DIR, String(process.pid)),
        `started-${this.started} ${relative(root, this.file)}\n`,
      );
    const deadline = performance.now() + graceMs;
    while (this.left().length > 0 && performance.now() < deadline) await sleep(10);
    const left = this.left();
    await super.teardown();
    if (left.length === 0) return;
    const message = `This file leaves handles open:\n  ${left.join('\n  ')}`;
    // an error here would replace the test failures, which are most likely the cause
    if (this.hasFailed) process.stderr.write(`${message}\n`);
    else throw new Error(message);
  }

  left() {
    const threads = this.threads.filter(({ threadId }) => threadId !== -1);
    const handles = process._getActiveHandles().filter((handle) => !this.before.has(handle));
    return [
      ...threads.map((thread) => `a worker thread${this.origins.get(thread)}`),
      ...handles.flatMap((handle) => described(handle, this.origins.get(handle) ?? '')),
    ];
  }
};

/** Describes a handle; empty if it belongs to a thread or child that is itself listed. */
const described = (handle, from) => {
  switch (handle.constructor.name) {
    case 'ChildProcess':
      return [`process ${handle.pid}: ${handle.spawnargs.join(' ').slice(0, 200)}${from}`];
    case 'MessagePort':
    case 'Pipe':
      return [];
    case 'Server':
      return [`a server at ${JSON.stringify(handle.address())}`];
    case 'Socket':
    case 'TLSSocket':
      return handle.remoteAddress === undefined
        ? []
        : [`a connection to ${handle.remoteAddress}:${handle.remotePort}`];
    default:
      return [`a ${handle.constructor.name}`];
  }
};

/** The lines of this repository on the current stack. */
const origin = () =>
  new Error().stack
    .split('\n')
    .filter(
      (line) =>
        /\.(ts|mjs|cjs):\d/.test(line) &&
        !line.includes(__filename) &&
        !line.includes('node_modules'),
    )
    .slice(0, 4)
    .map((line) => `\n    ${line.trim()}`)
    .join('');
