/** In which passages of a document a term is, and how often: `3 7.2 12` is once in the fourth, twice in the eighth, once in the thirteenth. */
export const writePostings = (counts: ReadonlyMap<number, number>): string =>
  [...counts].map(([nth, count]) => (count === 1 ? String(nth) : `${nth}.${count}`)).join(' ')

const space = 32
const dot = 46
const zero = 48

/** Character by character, because a question reads tens of thousands. */
export const readPostings = (text: string, take: (nth: number, count: number) => void): void => {
  let nth = 0
  let count = 0
  let counting = false
  for (let at = 0; at <= text.length; at++) {
    const code = at === text.length ? space : text.charCodeAt(at)
    if (code === space) {
      take(nth, counting ? count : 1)
      nth = 0
      count = 0
      counting = false
    } else if (code === dot) counting = true
    else if (counting) count = count * 10 + code - zero
    else nth = nth * 10 + code - zero
  }
}

export const countPostings = (text: string): number => {
  let count = 1
  for (let at = text.indexOf(' '); at >= 0; at = text.indexOf(' ', at + 1)) count++
  return count
}
