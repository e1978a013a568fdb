/** One line of a table: measure, result and goal. */
export interface Row {
  what: string
  value: string
  goal?: string
  reached?: boolean
}

export const percent = (share: number): string => `${(100 * share).toFixed(1)} %`
export const ms = (value: number): string => (Number.isNaN(value) ? '–' : `${Math.round(value)} ms`)

/** `most` or `least`: the side of the goal on which a value must be. */
export const atMost = (what: string, value: number, goal: number, write: (value: number) => string): Row => ({
  what,
  value: write(value),
  goal: `≤ ${write(goal)}`,
  reached: value <= goal,
})

export const atLeast = (what: string, value: number, goal: number, write: (value: number) => string = String): Row => ({
  what,
  value: write(value),
  goal: `≥ ${write(goal)}`,
  reached: value >= goal,
})

export const plain = (what: string, value: string | number): Row => ({ what, value: String(value) })

/** As Markdown. */
export const table = (title: string, rows: readonly Row[]): string =>
  [
    `**${title}**`,
    '',
    '| what | figure | goal |',
    '|---|---|---|',
    ...rows.map(
      ({ what, value, goal, reached }) =>
        `| ${what} | ${value} | ${goal === undefined ? '' : reached === true ? goal : `${goal}: **not reached**`} |`,
    ),
    '',
  ].join('\n')
