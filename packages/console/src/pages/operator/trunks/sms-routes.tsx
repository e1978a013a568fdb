import { useRead, type OutputOf } from '#api/use-service.ts'
import { CopyField } from '#parts/dialog/copy-field.tsx'
import type { Column } from '#parts/list/columns.ts'
import { List } from '#parts/list/list.tsx'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Section } from '#parts/page/section.tsx'
import { StatusBadge } from '#parts/value/status-badge.tsx'
import { Time } from '#parts/value/values.tsx'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'

type Route = OutputOf<'listSmsRoutes'>['items'][number]

export const SmsRoutes = () => {
  const say = useText(text)
  const routes = useRead('listSmsRoutes', {}, { every: 10_000 })
  const columns: Column<Route>[] = [
    { key: 'name', header: say.route, cell: ({ name }) => name },
    {
      key: 'state',
      header: say.state,
      value: ({ usable }) => (usable ? say.states.usable : say.states.down),
      cell: ({ usable }) => <StatusBadge tone={usable ? 'good' : 'bad'}>{usable ? say.states.usable : say.states.down}</StatusBadge>,
    },
    { key: 'reason', header: say.reason, cell: ({ reason }) => (reason === '' ? '–' : reason) },
    { key: 'since', header: say.since, value: ({ since }) => since, cell: ({ since }) => <Time at={since} relative /> },
    {
      key: 'url',
      header: say.messagesUrl,
      cell: ({ messagesUrl }) => (messagesUrl === undefined ? '–' : <CopyField value={messagesUrl} secret />),
    },
  ]
  return (
    <Section title={say.sms} description={say.smsHint} flush>
      <List
        name="sms"
        query={routes}
        label={say.sms}
        columns={columns}
        rowKey={({ name }) => name}
        empty={
          <EmptyState icon="message" title={say.smsNone}>
            {say.smsNoneHint}
          </EmptyState>
        }
      />
    </Section>
  )
}
