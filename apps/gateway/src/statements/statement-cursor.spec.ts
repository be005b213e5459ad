import { encodeCursor } from '../lists/cursor.js';
import { cursorAfter, pageRequest } from './statement-cursor.js';

const scope = ['statement', 'bal_1', '2026-10'];
const last = { chapter: 2, revision: 7 };

it('has 25 lines by default', () => {
  expect(pageRequest({}, scope)).toEqual({ size: 25, after: undefined });
});

it('continues after the last line of the previous page', () => {
  const cursor = cursorAfter(last, scope) ?? '';
  expect(pageRequest({ limit: '3', cursor }, scope)).toEqual({ size: 3, after: last });
  expect(cursorAfter(undefined, scope)).toBeNull();
});

it.each([[['x', 1]], [[1]], [[1, 2, 3]], [[0.5, 1]]])('refuses a cursor with %j', (values) => {
  const cursor = encodeCursor(values, scope);
  expect(() => pageRequest({ cursor }, scope)).toThrow(
    expect.objectContaining({ code: 'validation_failed' }) as Error,
  );
});
