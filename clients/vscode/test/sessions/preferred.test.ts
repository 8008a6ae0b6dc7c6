import { describe, expect, it } from 'vitest';
import { effortChoices, effortOf, hasEffort } from '../../src/sessions/effort_choices';
import { isInForce, readPreferred } from '../../src/sessions/preferred_model';

describe('the last chosen model', () => {
  it('counts until the settings name another model', () => {
    expect(isInForce({ model: 'a/b', over: 'c/d' }, 'c/d')).toBe(true);
    expect(isInForce({ model: 'a/b', over: 'c/d' }, 'e/f')).toBe(false);
    expect(isInForce({}, 'c/d')).toBe(false);
  });

  it('is read from the page only in its own shape, and no effort takes back an effort', () => {
    expect(readPreferred({ model: 'a/b', over: 'c/d' })).toEqual({ model: 'a/b', over: 'c/d' });
    expect(readPreferred({ effort: null })).toEqual({ effort: undefined });
    expect(readPreferred({ model: 3 })).toBeUndefined();
    expect(readPreferred({ effort: {} })).toBeUndefined();
  });
});

describe('the levels of effort', () => {
  const model = {
    ...{ id: 'a/b', provider: 'a', default: false, favourite: false, recent: false },
    efforts: ['high' as const, 'low' as const],
  };

  it('are those of the model, the lowest first, behind the default', () => {
    expect(effortChoices(model).map(({ id }) => id)).toEqual(['default', 'low', 'high']);
    expect(effortChoices(undefined)).toHaveLength(8);
  });

  it('stand with the present effort also where the model does not list the effort', () => {
    expect(effortChoices(model, 4096).map(({ id }) => id)).toEqual(['default', 'low', 'high', '4096']);
    expect(effortOf('4096')).toBe(4096);
    expect(effortOf('default')).toBeUndefined();
  });

  it('are not offered for a model without levels', () => {
    expect(hasEffort({ ...model, efforts: [] })).toBe(false);
    expect(hasEffort(undefined)).toBe(true);
  });
});
