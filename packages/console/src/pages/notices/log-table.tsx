import { useState } from 'react'
import type { OutputOf } from '#api/use-service.ts'
import type { Column } from '#parts/list/columns.ts'
import { List } from '#parts/list/list.tsx'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { RowMenu } from '#parts/table/row-menu.tsx'
import { StatusBadge } from '#parts/value/status-badge.tsx'
import { Time } from '#parts/value/values.tsx'
import { useText } from '#words/use-text.tsx'
import { ExchangeDetails } from './exchange-details.tsx'
import { text } from './text.ts'
import { ShortAddress } from './undelivered-table.tsx'

type Entry = OutputOf<'listWebhookLog'>['items'][number]

/** The latest requests to the account's own software. */
export const LogTable = ({ entries }: { entries: readonly Entry[] }) => {
  const say = useText(text)
  const [open, setOpen] = useState<Entry>()
  const columns: Column<Entry>[] = [
    { key: 'event', header: say.event, value: ({ request }) => eventIn(request), cell: ({ request }) => <code>{eventIn(request)}</code> },
    { key: 'created', header: say.created, value: ({ created }) => created, cell: ({ created }) => <Time at={created} /> },
    { key: 'url', header: say.url, value: ({ url }) => url, cell: ({ url }) => <ShortAddress url={url} /> },
    { key: 'status', header: say.status, cell: (entry) => <Status entry={entry} /> },
  ]
  return (
    <>
      <List
        name="log"
        label={say.log}
        rows={entries}
        columns={columns}
        rowKey={({ created, url, request }) => `${created} ${url} ${request}`}
        rowActions={(entry) => (
          <RowMenu
            label={say.actionsFor(eventIn(entry.request))}
            actions={[{ label: say.details, icon: 'info', onClick: () => setOpen(entry) }]}
          />
        )}
        empty={
          <EmptyState icon="list" title={say.logEmptyTitle}>
            {say.logEmpty}
          </EmptyState>
        }
      />
      {open && <ExchangeDetails title={eventIn(open.request)} {...open} onClose={() => setOpen(undefined)} />}
    </>
  )
}

const eventIn = (form: string): string => new URLSearchParams(form).get('event') ?? '–'

const Status = ({ entry: { status, xmlError } }: { entry: Entry }) => {
  const say = useText(text)
  if (status === 0) return <StatusBadge tone="bad">{say.noAnswer}</StatusBadge>
  if (status < 200 || status > 299) return <StatusBadge tone="bad">{String(status)}</StatusBadge>
  if (xmlError !== '') return <StatusBadge tone="warning">{say.notFollowed(String(status))}</StatusBadge>
  return <StatusBadge tone="good">{String(status)}</StatusBadge>
}
