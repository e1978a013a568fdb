import { Box, SegmentedControl, Text } from '@mantine/core'
import type { TimelineEntry, TimelineKind } from '@offhook/contract/v2/timeline.ts'
import { memo, useMemo, useState } from 'react'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { useText } from '#words/use-text.tsx'
import classes from './entries-view.module.css'
import { EntryDetails } from './entry-details.tsx'
import { EntryList } from './entry-list.tsx'
import { text } from './text.ts'
import { isProblem, type TimelinePicture } from './timeline-book.ts'

type Filter = 'all' | 'endpoint' | 'speech' | 'problems'

const kindsOf: Readonly<Record<'endpoint' | 'speech', readonly TimelineKind[]>> = {
  endpoint: ['event', 'attempt', 'message', 'action', 'discarded', 'note', 'problem'],
  speech: ['voice', 'heard', 'key', 'speaks', 'spoke', 'ducked', 'unclear', 'filler', 'backchannel', 'briefing', 'turn'],
}

const fits = (entry: TimelineEntry, filter: Filter): boolean =>
  filter === 'all' || (filter === 'problems' ? isProblem(entry) : kindsOf[filter].includes(entry.kind))

interface EntriesViewProps {
  picture: TimelinePicture
  isLive: boolean
  /** What the user wants to see. */
  about: About | undefined
}

/** An event by its id, or any entry. */
export type About = { eventId: string } | { sequence: number }

const sequenceOf = (about: About, entries: readonly TimelineEntry[]): number | undefined =>
  'sequence' in about ? about.sequence : entries.find((entry) => entry.kind === 'event' && entry.eventId === about.eventId)?.sequence

/** Everything that happened, one line each; one of them in full beside it. */
export const EntriesView = ({ picture: { entries, eventTypes, startedAt }, isLive, about }: EntriesViewProps) => {
  const say = useText(text)
  const [filter, setFilter] = useState<Filter>('all')
  const [sequence, setSequence] = useState(() => about && sequenceOf(about, entries))
  const shown = useMemo(() => entries.filter((entry) => fits(entry, filter)), [entries, filter])
  if (entries.length === 0)
    return (
      <EmptyState icon="list" title={say.noEntries}>
        {say.noEntriesBody}
      </EmptyState>
    )
  const chosen = entries.find((entry) => entry.sequence === sequence)
  return (
    <Box className={classes.view}>
      <FilterBar filter={filter} onChange={setFilter} />
      <Box className={classes.panes}>
        {shown.length === 0 ? (
          <Text size="sm" c="dimmed" p="md">
            {say.noMatch}
          </Text>
        ) : (
          <EntryList
            key={filter}
            entries={shown}
            eventTypes={eventTypes}
            startedAt={startedAt}
            isLive={isLive}
            chosen={sequence}
            onChoose={setSequence}
          />
        )}
        <Box className={classes.details} component="section" aria-label={say.details} tabIndex={0}>
          {chosen ? (
            <EntryDetails key={chosen.sequence} entry={chosen} entries={entries} eventTypes={eventTypes} />
          ) : (
            <Text size="sm" c="dimmed">
              {say.choose}
            </Text>
          )}
        </Box>
      </Box>
    </Box>
  )
}

/** Not drawn again with every entry. */
const FilterBar = memo(({ filter, onChange }: { filter: Filter; onChange: (filter: Filter) => void }) => {
  const say = useText(text)
  return (
    <SegmentedControl
      className={classes.filter}
      size="xs"
      aria-label={say.filter}
      data={(['all', 'endpoint', 'speech', 'problems'] as const).map((value) => ({ value, label: say.filters[value] }))}
      value={filter}
      onChange={onChange}
    />
  )
})
