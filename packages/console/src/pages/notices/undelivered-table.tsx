import { Text } from '@mantine/core'
import { useState } from 'react'
import { useWrite, type OutputOf } from '#api/use-service.ts'
import type { Column } from '#parts/list/columns.ts'
import { List } from '#parts/list/list.tsx'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { RowMenu } from '#parts/table/row-menu.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { Time } from '#parts/value/values.tsx'
import { useText } from '#words/use-text.tsx'
import { ExchangeDetails } from './exchange-details.tsx'
import { text } from './text.ts'

type Notice = OutputOf<'listUndeliveredNotices'>['items'][number]

/** Notices that were given up, and can be sent again. */
export const UndeliveredTable = ({ notices }: { notices: readonly Notice[] }) => {
  const say = useText(text)
  const toast = useToast()
  const [open, setOpen] = useState<Notice>()
  const again = useWrite('redeliverNotice', { refreshes: ['listUndeliveredNotices'] })
  const send = ({ id }: Notice): void =>
    again.mutate([{ noticeId: id }], { onSuccess: () => toast.done(say.againDone), onError: (error) => toast.failed(error) })
  const columns: Column<Notice>[] = [
    { key: 'event', header: say.event, value: ({ event }) => event, cell: ({ event }) => <code>{event}</code> },
    { key: 'created', header: say.created, value: ({ created }) => created, cell: ({ created }) => <Time at={created} /> },
    { key: 'url', header: say.url, value: ({ url }) => url, cell: ({ url }) => <ShortAddress url={url} /> },
    { key: 'error', header: say.error, value: ({ error }) => error, cell: ({ error }) => <span lang="en">{error}</span> },
    { key: 'attempts', header: say.attempts, align: 'right', cell: ({ attempts }) => attempts },
  ]
  return (
    <>
      <List
        name="undelivered"
        label={say.undelivered}
        rows={notices}
        columns={columns}
        rowKey={({ id }) => id}
        rowActions={(notice) => (
          <RowMenu
            label={say.actionsFor(notice.event)}
            actions={[
              { label: say.details, icon: 'info', onClick: () => setOpen(notice) },
              { label: say.again, icon: 'refresh', onClick: () => send(notice) },
            ]}
          />
        )}
        empty={
          <EmptyState icon="check" title={say.noneGivenUpTitle}>
            {say.noneGivenUp}
          </EmptyState>
        }
      />
      {open && <ExchangeDetails title={open.event} {...open} onClose={() => setOpen(undefined)} />}
    </>
  )
}

export const ShortAddress = ({ url }: { url: string }) => (
  <Text size="sm" c="dimmed" truncate maw={320}>
    {url.replace(/^https?:\/\//, '')}
  </Text>
)
