/** In how many passages of a document a term is, and how often: `3 7.2 12` is once in the fourth, twice in the eighth, once in the thirteenth. */
export const writePostings = (counts: ReadonlyMap<number, number>): string =>
  [...counts].map(([nth, count]) => (count === 1 ? String(nth) : `${nth}.${count}`)).join(' ')

export const readPostings = (text: string): Map<number, number> =>
  new Map(
    text.split(' ').map((one) => {
      const [nth, count] = one.split('.')
      return [Number(nth), count === undefined ? 1 : Number(count)]
    }),
  )
