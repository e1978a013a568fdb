/** How many letters have to be changed, added or left out to make the one of the other. */
const distance = (one: string, other: string): number => {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (const [index, letter] of one.split('').entries()) {
    const next = [index + 1]
    for (let at = 1; at <= other.length; at++)
      next.push(Math.min((row[at] ?? 0) + 1, (next[at - 1] ?? 0) + 1, (row[at - 1] ?? 0) + (letter === other[at - 1] ? 0 : 1)))
    row = next
  }
  return row[other.length] ?? 0
}

/** The name that was probably meant; undefined when none is close. */
export const nearestName = (given: string, names: readonly string[], max = 3): string | undefined => {
  const [best] = names.map((name) => ({ name, far: distance(given.toUpperCase(), name) })).toSorted((a, b) => a.far - b.far)
  return best !== undefined && best.far <= max ? best.name : undefined
}
