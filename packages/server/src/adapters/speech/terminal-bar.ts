/** Where people watch: standard error, as a rule. */
export interface Terminal {
  isTTY?: boolean
  /** How wide it is. */
  columns?: number
  write(text: string): unknown
}

const maxLength = 30
const defaultColumns = 80

/** `Title [====    ] says`, never wider than the terminal: a line that wraps cannot be drawn over. */
export const barLine = ({ columns }: Terminal, { title, share, says }: { title: string; share: number; says: string }): string => {
  const room = (columns || defaultColumns) - 1
  const length = Math.max(1, Math.min(maxLength, room - title.length - says.length - 4))
  const full = Math.min(length, Math.floor(length * share))
  return `${title} [${'='.repeat(full)}${' '.repeat(length - full)}] ${says}`.slice(0, room)
}
