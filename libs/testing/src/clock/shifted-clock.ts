// For tests only: a clock that can be moved while the process runs. Loaded by
// NODE_OPTIONS=--import, into every thread.
// Date is shifted by the milliseconds in the file that TEST_CLOCK names. Timers and
// performance.now() are unchanged.
import { readFileSync } from 'node:fs';

const RealDate = Date;
const file = process.env['TEST_CLOCK'] ?? '';
let readAt = -Infinity;
let shiftMs = 0;

const shiftedNow = (): number => {
  if (performance.now() - readAt > 10) {
    readAt = performance.now();
    shiftMs = Number(readFileSync(file, 'utf8'));
  }
  return RealDate.now() + shiftMs;
};

globalThis.Date = new Proxy(RealDate, {
  construct: (target, given: [], newTarget) =>
    Reflect.construct(target, given.length === 0 ? [shiftedNow()] : given, newTarget) as Date,
  apply: () => new RealDate(shiftedNow()).toString(),
  get: (target, name, receiver) =>
    name === 'now' ? shiftedNow : (Reflect.get(target, name, receiver) as unknown),
});
