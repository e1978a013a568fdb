interface RingPlace<T> {
  nameOf: (one: T) => string
  count: number
}

/**
 * The `count` names after `name` in alphabetical order, the first one following the last one. Owners are random, so neighbours are spread
 * over machines, and every node with the same list finds the same neighbours.
 */
export const following = <T>(all: Iterable<T>, name: string, place: RingPlace<T>): T[] =>
  first(all, place, (a, b) => (a > name === b > name ? a < b : a > name))

/** The `count` names before `name`: those that it follows. */
export const preceding = <T>(all: Iterable<T>, name: string, place: RingPlace<T>): T[] =>
  first(all, place, (a, b) => (a < name === b < name ? a > b : a < name))

/** The first `count` of an order, without sorting all. */
const first = <T>(all: Iterable<T>, { nameOf, count }: RingPlace<T>, isBefore: (a: string, b: string) => boolean): T[] => {
  const found: T[] = []
  for (const one of all) {
    const own = nameOf(one)
    const last = found[count - 1]
    if (last !== undefined && !isBefore(own, nameOf(last))) continue
    let at = Math.min(found.length, count - 1)
    for (; at > 0; at--) {
      const before = found[at - 1]
      if (before === undefined || isBefore(nameOf(before), own)) break
      found[at] = before
    }
    found[at] = one
  }
  return found
}
