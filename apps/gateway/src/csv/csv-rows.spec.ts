import { csvRows } from './csv-rows.js';

it('ends every row with CRLF, and quotes the cells that need it', () => {
  expect(
    csvRows([
      ['a', '', '-1'],
      ['b,c', 'say "no"', 'x\ry'],
      ['x\ny', 'x\r\ny', 'é 🦆'],
    ]),
  ).toBe('a,,-1\r\n"b,c","say ""no""","x\ry"\r\n"x\ny","x\r\ny",é 🦆\r\n');
});

it('is empty without rows', () => {
  expect(csvRows([])).toBe('');
});
