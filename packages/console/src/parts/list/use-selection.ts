import { useState } from 'react'

export interface Selection<Row> {
  has: (row: Row) => boolean
  set: (rows: readonly Row[], chosen: boolean) => void
  clear: () => void
}

/** The rows that are ticked. Those that leave the list leave it, too, since only what is listed is asked for. */
export const useSelection = <Row>(rowKey: (row: Row) => string): Selection<Row> => {
  const [keys, setKeys] = useState<ReadonlySet<string>>(new Set())
  return {
    has: (row) => keys.has(rowKey(row)),
    set: (rows, chosen) =>
      setKeys((before) => {
        const after = new Set(before)
        for (const key of rows.map(rowKey)) {
          if (chosen) after.add(key)
          else after.delete(key)
        }
        return after
      }),
    clear: () => setKeys(new Set()),
  }
}
