import { useState } from 'react'

export interface Selection<Row> {
  has: (row: Row) => boolean
  set: (rows: readonly Row[], chosen: boolean) => void
  clear: () => void
  /** Everything that is found is meant, not only what is ticked. */
  isOfAll: boolean
  setAll: () => void
}

/**
 * The rows that are ticked. Those that leave the list leave it, too, since only what is listed is asked for. `wanted`: what is searched and filtered by; who
 * chose all of one search has not chosen all of another.
 */
export const useSelection = <Row>(rowKey: (row: Row) => string, wanted: string): Selection<Row> => {
  const [keys, setKeys] = useState<ReadonlySet<string>>(new Set())
  const [allOf, setAllOf] = useState<string>()
  const isOfAll = allOf === wanted
  return {
    isOfAll,
    setAll: () => setAllOf(wanted),
    has: (row) => isOfAll || keys.has(rowKey(row)),
    set: (rows, chosen) => {
      setAllOf(undefined)
      setKeys((before) => {
        const after = new Set(before)
        for (const key of rows.map(rowKey)) {
          if (chosen) after.add(key)
          else after.delete(key)
        }
        return after
      })
    },
    clear: () => {
      setAllOf(undefined)
      setKeys(new Set())
    },
  }
}
