interface RingPlace<T> {
  nameOf: (one: T) => string
  count: number
}

/**
 * The `count` names after `name` in alphabetical order, the first one following the last one. Owners are random, so neighbours are spread
 * over machines, and every node with the same list finds the same neighbours.
 */
export const following = <T>(all: readonly T[], name: string, { nameOf, count }: RingPlace<T>): T[] => {
  const { sorted, start } = placeOf(all, name, nameOf)
  return [...sorted.slice(start), ...sorted.slice(0, start)].slice(0, count)
}

/** The `count` names before `name`: those that it follows. */
export const preceding = <T>(all: readonly T[], name: string, { nameOf, count }: RingPlace<T>): T[] => {
  const { sorted, start } = placeOf(all, name, nameOf)
  return [...sorted.slice(start), ...sorted.slice(0, start)].slice(-count)
}

const placeOf = <T>(all: readonly T[], name: string, nameOf: (one: T) => string): { sorted: T[]; start: number } => {
  const sorted = all.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
  return {
    sorted,
    start: Math.max(
      sorted.findIndex((one) => nameOf(one) > name),
      0,
    ),
  }
}
