import { Text } from '@mantine/core'
import type { OutputOf } from '#api/use-service.ts'
import { Actor } from '#parts/value/actor.tsx'
import type { Column } from '#parts/list/columns.ts'
import { Time } from '#parts/value/values.tsx'
import { useLanguage, useText } from '#words/use-text.tsx'
import { actionWords } from './action-words.ts'
import { AuditDetail } from './audit-detail.tsx'
import { text } from './text.ts'

export type AuditEntry = OutputOf<'listAccountAudit'>['items'][number]

/** The columns of an audit log; the name of an action, as programs see it, on hover. */
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
