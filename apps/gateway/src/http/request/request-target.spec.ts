import { isDecodable, originForm } from './request-target.js';

it.each([
  ['/v1/account', '/v1/account'],
  ['http://shop.example/v1/account?x=1', '/v1/account?x=1'],
  ['HTTPS://a:1', '/'],
  ['http://a?x=1', '/?x=1'],
  ['/v1/http://a/b', '/v1/http://a/b'],
  ['*', '*'],
])('%s is %s without its origin', (target, rest) => {
  expect(originForm(target)).toBe(rest);
});

it.each([
  ['/v1?a=%41', true],
  ['/v1?a=100%25', true],
  ['/v1', true],
  ['/v1?a=%zz', false],
  ['/v1?a=%', false],
  ['/v1?a=%ff', false],
])('%s can be decoded: %s', (target, expected) => {
  expect(isDecodable(target)).toBe(expected);
});
