import { EventEmitter } from 'node:events';
import { onEndSignals } from './end-signals.js';

it('takes a signal for a second one only if it comes more than a second after the first', () => {
  const source = new EventEmitter();
  let now = 5_000;
  const calls: string[] = [];
  const again = () => void calls.push('again');
  onEndSignals({ first: (signal) => void calls.push(signal), again }, source, () => now);
  source.emit('SIGINT', 'SIGINT');
  now += 1_000;
  source.emit('SIGINT', 'SIGINT');
  source.emit('SIGTERM', 'SIGTERM');
  expect(calls).toEqual(['SIGINT']);
  now += 1;
  source.emit('SIGTERM', 'SIGTERM');
  expect(calls).toEqual(['SIGINT', 'again']);
});
