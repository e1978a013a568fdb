const pageRows = 10

export const rowAfter = (key: string, row: number, count: number): number | undefined => {
  const rows: Record<string, number> = {
    ArrowDown: row + 1,
    ArrowUp: row === -1 ? count - 1 : row - 1,
    PageDown: row + pageRows,
    PageUp: row - pageRows,
    Home: 0,
    End: count - 1,
  }
  return rows[key]
}
