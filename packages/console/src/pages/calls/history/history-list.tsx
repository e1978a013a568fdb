import { api, fetchAsRole } from '#api/client.ts'
import type { InputOf } from '#api/use-service.ts'
import { List } from '#parts/list/list.tsx'
import { useCursorPages } from '#parts/list/use-pages.ts'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Section } from '#parts/page/section.tsx'
import { useText } from '#words/use-text.tsx'
import { useWhose } from '#lazy-parts/people.ts'
import { UserPicker } from '#lazy-parts/user-picker.tsx'
import type { HistoryEntry } from '../parts/history-entry.ts'
import { text } from '../parts/text.ts'
import { useHistoryOf } from '../parts/use-history-of.ts'
import { EntryMenu, useHistoryColumns } from './history-table.tsx'
import { useHistoryBulk } from './use-history-bulk.ts'
import { useHistoryFilters, useHistoryQuery } from './use-history-query.ts'

/** What is over, or only the voicemails of it; searched and narrowed by the service. */
export const HistoryList = ({ only }: { only?: 'VOICEMAIL' }) => {
  const say = useText(text)
  const whose = useWhose()
  const { search } = useHistoryOf()
  const { userId = '' } = whose
  const query = useHistoryQuery(only)
  const { sort: _sort, ...found } = query
  const pages = useCursorPages<HistoryEntry>(
    'listHistory',
    { ...query, userId },
    (page) => api.listHistory({ ...query, ...page, userId }),
    {
      when: userId !== '',
    },
  )
  const label = only ? say.voicemails : say.history
  return (
    <Section title={label} description={only ? undefined : say.historyLead} actions={<UserPicker whose={whose} />} flush>
      <List
        label={label}
        pages={pages}
        columns={useHistoryColumns(only)}
        rowKey={({ id }) => id}
        rowTo={({ id }) => `/calls/history/${id}${search}`}
        rowActions={(entry) => <EntryMenu entry={entry} />}
        search={say.searchHistory}
        filters={useHistoryFilters(only)}
        bulk={useHistoryBulk(userId, found)}
        file={() => historyFile(userId, query)}
        empty={
          <EmptyState icon={only ? 'voicemail' : 'history'} title={only ? say.noVoicemail : say.emptyTitle}>
            {only ? say.noVoicemailBody : say.emptyBody}
          </EmptyState>
        }
      />
    </Section>
  )
}

/** Everything that fits as a CSV file, which the service writes while it reads. */
const historyFile = async (userId: string, query: Omit<InputOf<'listHistory'>[0], 'userId'>): Promise<Blob> => {
  const wanted = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) for (const one of [value].flat()) wanted.append(name, String(one))
  const reply = await fetchAsRole(`/v2/${userId}/history?${wanted.toString()}`, { headers: { accept: 'text/csv' } })
  if (!reply.ok) throw new Error(reply.statusText)
  return reply.blob()
}
