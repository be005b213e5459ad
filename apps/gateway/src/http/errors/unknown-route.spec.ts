import { unknownRoute } from './unknown-route.js';

it.each([
  ['PUT', '/v1/conversions', 'GET, HEAD, POST'],
  ['DELETE', '/v1/conversions/conv_1/?x=1', 'GET, HEAD, PATCH'],
  ['GET', '/v1/webhooks/subscribe', 'POST, DELETE'],
  ['PUT', '/v1/payouts/import', 'POST'],
  ['POST', '/openapi.json', 'GET, HEAD'],
  ['POST', '/docs/assets/init.js', 'GET, HEAD'],
  ['POST', '/docs/assets/swagger-ui.css', 'GET, HEAD'],
])('%s %s returns 405 with the allowed methods', (method, url, allowed) => {
  expect(unknownRoute(method, url)).toMatchObject({
    error: { code: 'method_not_allowed' },
    headers: { Allow: allowed },
  });
});

it.each([
  '/docs/assets/unknown',
  '/v1/nothing',
  '/v1',
  '/',
  '/v1/conversions/a/b',
  '/openapixjson',
])('%s returns 404', (url) => {
  expect(unknownRoute('GET', url)).toMatchObject({ error: { code: 'not_found' }, headers: {} });
});
