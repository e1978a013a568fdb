import { useEffect, useEffectEvent } from 'react'
import { useParams } from 'wouter'
import { useMay } from '#api/use-may.ts'
import { useRead } from '#api/use-service.ts'
import { Loaded } from '#parts/page/loaded.tsx'
import { Page } from '#parts/page/page.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { useText } from '#words/use-text.tsx'
import { EntryActions, EntryView } from './history/entry-view.tsx'
import { otherSide, type HistoryEntry } from './parts/history-entry.ts'
import { text } from './parts/text.ts'
import { useEntryActions } from './parts/use-entry-actions.ts'
import { useHistoryOf } from './parts/use-history-of.ts'

/** One entry of the history. */
export const EntryPage = () => {
  const say = useText(text)
  const { entryId } = useParams<{ entryId: string }>()
  const { userId = '', search } = useHistoryOf()
  const entry = useRead('getHistoryEntry', { userId, entryId }, { when: userId !== '' })
  if (entry.data) return <EntryFrame entry={entry.data} />
  return (
    <Page title={say.history} back={{ to: `/calls${search}`, label: say.backToCalls }}>
      <Loaded query={entry}>{() => null}</Loaded>
    </Page>
  )
}

export const EntryFrame = ({ entry }: { entry: HistoryEntry }) => {
  const say = useText(text)
  const format = useFormat()
  const { search } = useHistoryOf()
  useMarkAsRead(entry)
  return (
    <Page
      title={`${say.types[entry.type]}: ${otherSide(entry, say, format)}`}
      back={{ to: `/calls${search}`, label: say.backToCalls }}
      actions={<EntryActions entry={entry} />}
    >
      <EntryView entry={entry} />
    </Page>
  )
}

/** Opening an own entry marks it as seen; an administrator who opens another user's does not. */
const useMarkAsRead = (entry: HistoryEntry): void => {
  const { isOwn } = useHistoryOf()
  const may = useMay()('CAN_CHANGE_HISTORY') && isOwn
  const { change } = useEntryActions(entry)
  const mark = useEffectEvent(() => {
    if (may && !entry.read) change({ read: true })
  })
  useEffect(() => mark(), [entry.id, may])
}
