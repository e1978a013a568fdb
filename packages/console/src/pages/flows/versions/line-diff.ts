interface Line {
  kind: 'same' | 'gone' | 'new'
  text: string
}

/**
 * Line diff by longest common subsequence. Its table has as many cells as the product of the differing lines, and prompts have at most some
 * thousand lines.
 */
export const lineDiff = (before: string, after: string): Line[] => {
  const [old, young] = [before.split('\n'), after.split('\n')]
  const head = sameBegin(old, young)
  const tail = sameBegin(old.slice(head).toReversed(), young.slice(head).toReversed())
  const same = (lines: string[]): Line[] => lines.map((text) => ({ kind: 'same', text }))
  return [
    ...same(old.slice(0, head)),
    ...middle(old.slice(head, old.length - tail), young.slice(head, young.length - tail)),
    ...same(old.slice(old.length - tail)),
  ]
}

const sameBegin = (a: readonly string[], b: readonly string[]): number => {
  const first = a.findIndex((line, index) => line !== b[index])
  return first === -1 ? a.length : first
}

const middle = (old: readonly string[], young: readonly string[]): Line[] => {
  const width = young.length + 1
  /** Length of the common subsequence from here on. */
  const common = new Uint32Array((old.length + 1) * width)
  const at = (i: number, j: number): number => common[i * width + j] ?? 0
  for (let i = old.length - 1; i >= 0; i--)
    for (let j = young.length - 1; j >= 0; j--)
      common[i * width + j] = old[i] === young[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
  const lines: Line[] = []
  for (let i = 0, j = 0; i < old.length || j < young.length;) {
    const [gone, fresh] = [old[i], young[j]]
    if (gone !== undefined && gone === fresh) lines.push({ kind: 'same', text: gone })
    else if (gone !== undefined && (fresh === undefined || at(i + 1, j) >= at(i, j + 1))) lines.push({ kind: 'gone', text: gone })
    else lines.push({ kind: 'new', text: fresh ?? '' })
    const { kind } = lines.at(-1) as Line
    if (kind !== 'new') i++
    if (kind !== 'gone') j++
  }
  return lines
}
