import { getEventListeners } from 'node:events';
import { Cancellations } from './cancellations.js';

it('an abort cancels all requests of one signal, and uses one listener', () => {
  const [mine, other] = [new AbortController(), new AbortController()];
  const cancellations = new Cancellations();
  const canceled: string[] = [];
  cancellations.onCancel(mine.signal, () => canceled.push('one'));
  cancellations.onCancel(mine.signal, () => canceled.push('removed'))();
  cancellations.onCancel(mine.signal, () => canceled.push('two'));
  cancellations.onCancel(other.signal, () => canceled.push('other'));
  expect(getEventListeners(mine.signal, 'abort')).toHaveLength(1);
  mine.abort();
  expect(canceled).toEqual(['one', 'two']);
});
