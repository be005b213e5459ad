import { shownTarget } from './shown-target.js';

it.each([
  ['esdb://admin:changeit@es1:2113,es2:2113?tls=true&userKeyFile=/secret', 'es1:2113,es2:2113'],
  ['esdb+discover://es:2113', 'es:2113'],
  [
    'mongodb+srv://u:p%40ss@cluster.example/refledger?retryWrites=true',
    'cluster.example/refledger',
  ],
  ['mongodb://127.0.0.1:27017/', '127.0.0.1:27017'],
  ['mongodb://u:a/b@c@host:1/db', 'host:1/db'],
])('shows %s as %s', (url, shown) => expect(shownTarget(url)).toBe(shown));
