import { useFormat } from '#parts/value/use-format.ts'
import { useText } from '#words/use-text.tsx'
import classes from './audit-detail.module.css'
import { text } from './text.ts'

/** What an audit entry adds: names and values as they were written down. */
export const AuditDetail = ({ detail }: { detail: unknown }) => {
  const say = useText(text)
  const format = useFormat()
  if (typeof detail !== 'object' || detail === null) return null
  const shown = ([name, value]: [string, unknown]): string => {
    if (name === 'amount' && typeof value === 'number') return format.number(value / 10_000, 4)
    if (typeof value === 'boolean') return value ? say.yes : say.no
    return typeof value === 'string' ? value : Array.isArray(value) ? value.map(String).join(', ') : JSON.stringify(value)
  }
  const names: Readonly<Record<string, string>> = say.names
  const entries = Object.entries(detail)
  if (entries.length === 0) return null
  return (
    <ul className={classes.detail}>
      {entries.map((entry) => (
        <li key={entry[0]}>
          <span className={classes.name}>{names[entry[0]] ?? entry[0]}</span> {shown(entry)}
        </li>
      ))}
    </ul>
  )
}
