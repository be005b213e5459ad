import { present } from './present.js';

it.each([0, '', false, 'text'])('returns the value %j', (value) => {
  expect(present(value)).toBe(value);
});

it.each([undefined, null])('throws at the line of the caller for %j', (value) => {
  let thrown: Error | undefined;
  const callPresent = () => present(value);
  try {
    callPresent();
  } catch (error) {
    thrown = error as Error;
  }
  expect(thrown?.message).toBe(`Expected a value, but got ${value}.`);
  expect(thrown?.stack?.split('\n')[1]).toContain('callPresent');
});
