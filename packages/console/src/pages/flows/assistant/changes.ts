/** A difference between two assistants, with its path and values. */
export interface Change {
  path: string
  before: unknown
  after: unknown
}

/** Paths where two values differ, down to the single field; texts and lists of words count as one field. */
export const changesBetween = (before: unknown, after: unknown, path = ''): Change[] => {
  if (JSON.stringify(before) === JSON.stringify(after)) return []
  if (!isBranch(before) || !isBranch(after)) return [{ path, before, after }]
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return names.flatMap((name) => changesBetween(before[name], after[name], path === '' ? name : `${path}/${name}`))
}

const isBranch = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && (!Array.isArray(value) || value.some((one) => typeof one === 'object'))
