import { Button, Group, SegmentedControl } from '@mantine/core'
import { useState } from 'react'
import { useMay } from '#api/use-may.ts'
import { useRead, useWrite } from '#api/use-service.ts'
import { Loaded } from '#parts/page/loaded.tsx'
import { Section } from '#parts/page/section.tsx'
import { useText } from '#words/use-text.tsx'
import { FaxDetails } from './fax-details.tsx'
import type { FaxEntry } from './fax-entry.ts'
import { text } from './text.ts'
import { FaxTable } from './fax-table.tsx'

const directions = { all: [], in: ['INCOMING', 'MISSED_INCOMING'], out: ['OUTGOING', 'MISSED_OUTGOING'] } as const

const which = ['all', 'in', 'out'] as const

const pageSize = 25

/** What was sent and received, the newest first. */
export const FaxList = () => {
  const say = useText(text)
  const [shown, setShown] = useState<(typeof which)[number]>('all')
  const [limit, setLimit] = useState(pageSize)
  const [open, setOpen] = useState<string>()
  const markRead = useMarkRead()
  const wanted = directions[shown]
  const query = { types: ['FAX' as const], limit, ...(wanted.length > 0 && { directions: [...wanted] }) }
  const faxes = useRead('listOwnHistory', query, { every: 2_000 })
  const choice = (
    <SegmentedControl
      aria-label={say.show}
      data={which.map((value) => ({ value, label: say.list[value] }))}
      value={shown}
      onChange={setShown}
    />
  )
  return (
    <Section title={say.faxes} actions={choice} flush>
      <Loaded query={faxes}>
        {({ items, totalCount }) => (
          <>
            <FaxTable entries={items} onOpen={(entry) => (setOpen(entry.id), markRead(entry))} />
            {totalCount > items.length && (
              <Group justify="center" p="md">
                <Button variant="default" onClick={() => setLimit(limit + pageSize)}>
                  {say.more}
                </Button>
              </Group>
            )}
          </>
        )}
      </Loaded>
      {open !== undefined && <FaxDetails key={open} faxId={open} onClose={() => setOpen(undefined)} />}
    </Section>
  )
}

/** A fax that is opened is no longer new. That it could not be noted is no reason to disturb the reader. */
const useMarkRead = (): ((entry: FaxEntry) => void) => {
  const may = useMay()
  const change = useWrite('changeOwnHistoryEntry', { refreshes: ['listOwnHistory'] })
  return ({ id, incoming, read }) => {
    if (incoming && !read && may('CAN_CHANGE_HISTORY')) change.mutate([{ entryId: id }, { read: true }])
  }
}
