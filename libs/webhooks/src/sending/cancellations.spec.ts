import { getEventListeners } from 'node:events';
import { Cancellations } from './cancellations.js';

it('an abort cancels all that wait for it and no other, over one listener', () => {
  const [mine, other] = [new AbortController(), new AbortController()];
  const cancellations = new Cancellations();
  const heard: string[] = [];
  cancellations.hear(mine.signal, () => heard.push('one'));
  cancellations.hear(mine.signal, () => heard.push('taken back'))();
  cancellations.hear(mine.signal, () => heard.push('two'));
  cancellations.hear(other.signal, () => heard.push('other'));
  expect(getEventListeners(mine.signal, 'abort')).toHaveLength(1);
  mine.abort();
  expect(heard).toEqual(['one', 'two']);
});
