it('begins', () => undefined);
