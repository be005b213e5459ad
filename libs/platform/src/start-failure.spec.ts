import { startFailure } from './start-failure.js';

const failure = (code: string, more: object) =>
  Object.assign(new Error(`${code}: ugly`), { code, ...more });

it.each([
  [failure('EADDRINUSE', { address: '127.0.0.1', port: 3000 }), /127\.0\.0\.1:3000 is in use/],
  [failure('EACCES', { path: '/data' }), /^\/data is not accessible/],
  [failure('EACCES', { address: '127.0.0.1', port: 80 }), /^127\.0\.0\.1:80 is not accessible/],
  [failure('EEXIST', { path: '/data' }), /^\/data is not a directory/],
  [
    Object.assign(new Error('x.db: this is not a SQLite database'), { name: 'SqliteError' }),
    /^x\.db: this is not/,
  ],
  [Object.assign(new Error('keys.db has none'), { name: 'KeyStoreError' }), /^keys\.db has none$/],
])('describes what the operator can fix: %s', (error, words) => {
  expect(startFailure(error)).toMatch(words);
});

it.each([new TypeError('undefined is not a function'), 'a string', undefined])(
  'returns nothing for a bug, so that its stack trace is printed: %s',
  (error) => {
    expect(startFailure(error)).toBeUndefined();
  },
);
