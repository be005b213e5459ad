// For tests only: a clock that can be moved while the process runs. Loaded by
// NODE_OPTIONS=--import, into every thread.
// The file that TEST_CLOCK names holds two numbers of milliseconds: by how much Date is shifted, and
// how much time has passed for the service besides the real time. Time that has passed also shifts
// Date, and ends timers of ES modules that import them from node:timers, as the webhooks' Clock
// does. All other timers and performance.now() are unchanged, and so is the Date of kafkajs, which
// measures by it how long a request takes.
import { readFileSync } from 'node:fs';
import Module, { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers';
import { clockStaleMs } from './movable-clock.js';
import { PassingTimers } from './passing-timers.js';

const RealDate = Date;
const file = process.env['TEST_CLOCK'] ?? '';
let readAt = -Infinity;
let clock = { shiftMs: 0, passedMs: 0 };

const readClock = (): typeof clock => {
  if (performance.now() - readAt > clockStaleMs) {
    readAt = performance.now();
    const [shiftMs = 0, passedMs = 0] = readFileSync(file, 'utf8').split(' ').map(Number);
    clock = { shiftMs, passedMs };
  }
  return clock;
};

const shiftedNow = (): number => {
  const { shiftMs, passedMs } = readClock();
  return RealDate.now() + shiftMs + passedMs;
};

globalThis.Date = new Proxy(RealDate, {
  construct: (target, given: [], newTarget) =>
    Reflect.construct(target, given.length === 0 ? [shiftedNow()] : given, newTarget) as Date,
  apply: () => new RealDate(shiftedNow()).toString(),
  get: (target, name, receiver) =>
    name === 'now' ? shiftedNow : (Reflect.get(target, name, receiver) as unknown),
});

interface CompiledModule {
  _compile: (this: unknown, content: string, file: string, ...rest: unknown[]) => unknown;
}
// not documented, but what all tools patch that change CommonJS while it is loaded
const compiled = Module.prototype as unknown as CompiledModule;
const { _compile } = compiled;
const realDate = Symbol.for('refledger.test.date');
Object.assign(globalThis, { [realDate]: RealDate });
compiled._compile = function (content, name, ...rest) {
  const before = `const Date = globalThis[Symbol.for('${realDate.description}')];`;
  const isKafka = name.includes('/node_modules/kafkajs/');
  return _compile.call(this, isKafka ? before + content : content, name, ...rest);
};

const passing = new PassingTimers(() => performance.now() + readClock().passedMs);

let watch: NodeJS.Timeout | undefined;
const watchClock = (): void => {
  let known = readClock().passedMs;
  watch ??= setInterval(() => {
    const { passedMs } = readClock();
    if (passedMs === known) return;
    known = passedMs;
    passing.jumped();
  }, clockStaleMs).unref();
};

// only ES modules get these: the drivers, which are CommonJS, measure real time
const { setTimeout: realSetTimeout, clearTimeout: realClearTimeout } = timers;
Object.assign(timers, {
  setTimeout: (task: () => void, ms?: number) => {
    if (watch === undefined) watchClock();
    return passing.set(task, ms);
  },
  clearTimeout: passing.clear,
});
syncBuiltinESMExports();
Object.assign(timers, { setTimeout: realSetTimeout, clearTimeout: realClearTimeout });
