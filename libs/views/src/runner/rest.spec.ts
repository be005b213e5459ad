import { record } from '../../test/history.js';
import { conversionCreated } from '../../test/builders.js';
import { restMs } from './rest.js';

it.each([[0, 0], [1, 2], [2, 4], [3, 5], [99, 5], [100, 0], [1000, 0]])('after a batch of %i rests %i ms', (count, ms) => {
  expect(restMs({ events: record(Array.from({ length: count }, () => ({ stream: 'refledger.conversion-conv_1' as const, event: conversionCreated() }))) })).toBe(ms);
});
