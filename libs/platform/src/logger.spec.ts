import { newLogger } from './logger.js';

it('never writes a secret that stands where secrets stand', () => {
  const lines: string[] = [];
  const logger = newLogger('info', 'test', { write: (line) => void lines.push(line) });
  logger.info(
    {
      headers: { authorization: 'Bearer rk_s3cret' },
      endpoint: { secret: 'whsec_s3cret' },
      api_key: 'rk_s3cret',
      request_id: 'r1',
    },
    'request',
  );
  expect(lines.join()).not.toContain('s3cret');
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    level: 'info',
    role: 'test',
    request_id: 'r1',
    msg: 'request',
  });
});
