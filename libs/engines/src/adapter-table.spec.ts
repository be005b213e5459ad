import { openByScheme } from './adapter-table.js';

describe('openByScheme', () => {
  const adapters = {
    'sqlite:': (url: string, { dataDir }: { dataDir: string }) =>
      Promise.resolve(`sqlite ${url} in ${dataDir}`),
    'mongodb+srv:': (url: string) => Promise.resolve(`mongodb at ${url}`),
  };
  const open = (url: string): Promise<string> => openByScheme(adapters, url, { dataDir: '.data' });

  it.each([
    ['sqlite:', 'sqlite sqlite: in .data'],
    ['mongodb+srv://host/db', 'mongodb at mongodb+srv://host/db'],
  ])('opens the adapter for %s with the URL and options', async (url, opened) => {
    expect(await open(url)).toBe(opened);
  });

  it.each(['postgres://user:hunter2@host', 'nonsense', 'toString:', ''])(
    'refuses %j, lists the known schemes, and shows no password',
    async (url) => {
      await expect(open(url)).rejects.toThrow(
        /^There is no adapter for (?!.*hunter2).*\. Use one of sqlite:, mongodb\+srv:\.$/,
      );
    },
  );
});
