import { startFailure } from './start-failure.js';

const failure = (code: string, more: object) =>
  Object.assign(new Error(`${code}: ugly`), { code, ...more });

it.each([
  [failure('EADDRINUSE', { address: '127.0.0.1', port: 3000 }), /127\.0\.0\.1:3000 is in use/],
  [failure('EACCES', { path: '/data' }), /^\/data may not be used/],
  [failure('EACCES', { address: '127.0.0.1', port: 80 }), /^127\.0\.0\.1:80 may not be used/],
  [failure('EEXIST', { path: '/data' }), /^\/data is not a folder/],
  [
    Object.assign(new Error('x.db: this is not a SQLite database'), { name: 'SqliteError' }),
    /^x\.db: this is not/,
  ],
])('says in words what can be mended: %s', (error, words) => {
  expect(startFailure(error)).toMatch(words);
});

it.each([new TypeError('undefined is not a function'), 'a string', undefined])(
  'leaves what is a fault of ours to its stack: %s',
  (error) => {
    expect(startFailure(error)).toBeUndefined();
  },
);
