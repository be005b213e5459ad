/** Compares texts as SQLite does: by their UTF-8 bytes, which is the order of code points. */
export const compareText = (a: string, b: string): number => {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (x !== y) return rankOf(x) - rankOf(y);
  }
  return a.length - b.length;
};

/** Ranks surrogates, which encode code points beyond U+FFFF, after all other units. */
const rankOf = (unit: number): number =>
  unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
