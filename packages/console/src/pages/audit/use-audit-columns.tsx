import { Text } from '@mantine/core'
import type { OutputOf } from '#api/use-service.ts'
import { Actor } from '#parts/value/actor.tsx'
import type { Column } from '#parts/list/columns.ts'
import { Time } from '#parts/value/values.tsx'
import { useLanguage, useText } from '#words/use-text.tsx'
import { actionWords } from './action-words.ts'
import { useFormat } from '#parts/value/use-format.ts'
import classes from './audit-detail.module.css'
import { text } from './text.ts'

export type AuditEntry = OutputOf<'listAccountAudit'>['items'][number]

/** The columns of an audit log; the raw action name is shown on hover. */
export const useAuditColumns = (nameOf: (actor: string) => string | undefined = () => undefined): Column<AuditEntry>[] => {
  const say = useText(text)
  const { language } = useLanguage()
  return [
    {
      key: 'action',
      header: say.action,
      wraps: true,
      value: ({ action }) => actionWords(action, language),
      cell: ({ action }) => (
        <Text span inherit fw={550} title={action}>
          {actionWords(action, language)}
        </Text>
      ),
    },
    { key: 'target', header: say.target, cell: ({ target }) => target, breaks: true },
    {
      key: 'detail',
      header: say.detail,
      value: ({ detail }) => JSON.stringify(detail),
      cell: ({ detail }) => <AuditDetail detail={detail} />,
    },
    {
      key: 'actor',
      header: say.actor,
      value: ({ actor }) => nameOf(actor) ?? actor,
      cell: ({ actor }) => nameOf(actor) ?? <Actor name={actor} />,
    },
    { key: 'at', header: say.at, value: ({ at }) => at, cell: ({ at }) => <Time at={at} /> },
  ]
}

/** Details of an audit entry: names and values as recorded. */
const AuditDetail = ({ detail }: { detail: unknown }) => {
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
