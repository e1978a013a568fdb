import { Box, SegmentedControl, Text, Button } from '@mantine/core'
import type { TimelineEntry, TimelineKind } from '@offhook/contract/v2/timeline.ts'
import {
  memo,
  useMemo,
  useState,
  useId,
  type KeyboardEvent,
  useCallback,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useRef,
  type RefObject,
  type UIEvent,
} from 'react'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { useText } from '#words/use-text.tsx'
import classes from './entries-view.module.css'
import { EntryDetails } from './entry-details.tsx'
import { text } from './text.ts'
import { isProblem, type TimelinePicture } from './timeline-book.ts'
import { Icon, type IconName } from '#parts/icon/icon.tsx'
import { summarise } from './summarise.ts'

interface EntryListProps {
  entries: readonly TimelineEntry[]
  eventTypes: TimelinePicture['eventTypes']
  startedAt: number | undefined
  /** Shows the newest until the user chooses another. */
  isLive: boolean
  /** Sequence of the entry whose details are shown. */
  chosen: number | undefined
  onChoose: (sequence: number) => void
}

/** Renders only the visible entries. */
const EntryList = ({ entries, eventTypes, startedAt = 0, isLive, chosen, onChoose }: EntryListProps) => {
  const say = useText(text)
  const id = useId()
  const rowOf = (sequence: number | undefined): number => entries.findIndex((entry) => entry.sequence === sequence)
  const { ref, onScroll, from, to, following, follow, show } = useWindow(entries.length, rowHeight, isLive, rowOf(chosen))
  const choose = (row: number): void => {
    const entry = entries[Math.max(0, Math.min(row, entries.length - 1))]
    if (!entry) return
    follow(false)
    onChoose(entry.sequence)
    show(rowOf(entry.sequence))
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const row = rowAfter(event.key, rowOf(chosen), entries.length)
    if (row === undefined) return
    event.preventDefault()
    choose(row)
  }
  const isDrawn = entries.slice(from, to).some(({ sequence }) => sequence === chosen)
  return (
    <div className={classes.frame}>
      <div
        ref={ref}
        className={classes.list}
        role="listbox"
        tabIndex={0}
        aria-label={say.list}
        aria-activedescendant={isDrawn ? `${id}-${chosen}` : undefined}
        onScroll={onScroll}
        onKeyDown={onKeyDown}
      >
        <div className={classes.space} role="presentation" style={{ height: entries.length * rowHeight }}>
          {entries.slice(from, to).map((entry, index) => (
            <EntryRow
              key={entry.sequence}
              id={`${id}-${entry.sequence}`}
              entry={entry}
              eventTypes={eventTypes}
              startedAt={startedAt}
              place={from + index}
              count={entries.length}
              chosen={entry.sequence === chosen}
              onChoose={choose}
            />
          ))}
        </div>
      </div>
      {isLive && !following && (
        <Button size="compact-xs" className={classes.newest} leftSection={<Icon name="arrowDown" size={14} />} onClick={() => follow(true)}>
          {say.newest}
        </Button>
      )}
    </div>
  )
}

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
  /** The entry to open. */
  about: About | undefined
}

/** An event by its id, or any entry. */
export type About = { eventId: string } | { sequence: number }

const sequenceOf = (about: About, entries: readonly TimelineEntry[]): number | undefined =>
  'sequence' in about ? about.sequence : entries.find((entry) => entry.kind === 'event' && entry.eventId === about.eventId)?.sequence

/** All entries, one line each; the chosen one in full next to them. */
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

/** Not rendered with every entry. */
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

const pageRows = 10

const rowAfter = (key: string, row: number, count: number): number | undefined => {
  const rows: Record<string, number> = {
    ArrowDown: row + 1,
    ArrowUp: row === -1 ? count - 1 : row - 1,
    PageDown: row + pageRows,
    PageUp: row - pageRows,
    Home: 0,
    End: count - 1,
  }
  return rows[key]
}

/** Rows rendered beyond the edges, so that scrolling shows no gaps. */
const beyond = 8

interface Window {
  ref: RefObject<HTMLDivElement | null>
  onScroll: (event: UIEvent<HTMLDivElement>) => void
  /** Range of rendered rows. */
  from: number
  to: number
  /** The newest row is visible and stays so. */
  following: boolean
  follow: (on: boolean) => void
  show: (row: number) => void
}

/**
 * Renders only the visible ones of many rows of equal height; stays at the end if it was there. `chosen`: the row to reveal, if any, from
 * which keyboard navigation continues.
 */
const useWindow = (count: number, rowHeight: number, isLive: boolean, chosen: number): Window => {
  const ref = useRef<HTMLDivElement>(null)
  const [first, setFirst] = useState(0)
  const [visible, setVisible] = useState(20)
  const [following, setFollowing] = useState(isLive && chosen < 0)
  useLayoutEffect(() => {
    const box = ref.current
    if (!box) return undefined
    const observer = new ResizeObserver(() => setVisible(Math.ceil(box.clientHeight / rowHeight)))
    observer.observe(box)
    return () => observer.disconnect()
  }, [rowHeight])
  useLayoutEffect(() => {
    if (following && ref.current) ref.current.scrollTop = count * rowHeight
  }, [following, count, rowHeight])
  const onScroll = useCallback(
    ({ currentTarget: box }: UIEvent<HTMLDivElement>) => {
      setFirst(Math.floor(box.scrollTop / rowHeight))
      setFollowing(box.scrollTop + box.clientHeight >= box.scrollHeight - rowHeight)
    },
    [rowHeight],
  )
  const show = useCallback(
    (row: number) => {
      const box = ref.current
      if (!box) return
      const top = row * rowHeight
      if (top < box.scrollTop) box.scrollTop = top
      if (top + rowHeight > box.scrollTop + box.clientHeight) box.scrollTop = top + rowHeight - box.clientHeight
    },
    [rowHeight],
  )
  const begin = useEffectEvent(() => {
    if (chosen < 0) return
    show(chosen)
    // Only if the button that led here is gone; a user who filters keeps the focus.
    if (document.activeElement === document.body) ref.current?.focus({ preventScroll: true })
  })
  useEffect(() => begin(), [])
  const last = Math.max(0, count - visible)
  const start = following ? last : Math.min(first, last)
  return {
    ref,
    onScroll,
    from: Math.max(0, start - beyond),
    to: Math.min(count, start + visible + beyond),
    following,
    follow: setFollowing,
    show,
  }
}

/** Pixels, as in the style sheet. */
const rowHeight = 32

const kindIcons: Readonly<Record<TimelineKind, IconName>> = {
  call: 'phone',
  routing: 'clock',
  sound: 'alert',
  quality: 'wave',
  voice: 'wave',
  heard: 'microphone',
  key: 'hash',
  event: 'bolt',
  attempt: 'send',
  message: 'download',
  action: 'play',
  speaks: 'sound',
  spoke: 'check',
  briefing: 'phone',
  ducked: 'sound',
  unclear: 'help',
  filler: 'clock',
  backchannel: 'headphones',
  discarded: 'x',
  note: 'edit',
  turn: 'speed',
  problem: 'alert',
}

interface EntryRowProps {
  id: string
  entry: TimelineEntry
  eventTypes: TimelinePicture['eventTypes']
  startedAt: number
  place: number
  count: number
  chosen: boolean
  onChoose: (place: number) => void
}

const EntryRow = memo(
  ({ id, entry, eventTypes, startedAt, place, count, chosen, onChoose }: EntryRowProps) => {
    const say = useText(text)
    const { words, tail } = summarise(entry, say, eventTypes)
    return (
      <div
        id={id}
        role="option"
        aria-selected={chosen}
        aria-posinset={place + 1}
        aria-setsize={count}
        className={classes.row}
        data-problem={isProblem(entry)}
        style={{ top: place * rowHeight }}
        onClick={() => onChoose(place)}
      >
        <span className={classes.at}>{say.seconds((entry.at - startedAt) / 1000)}</span>
        <span className={classes.kind}>
          <Icon name={kindIcons[entry.kind]} size={14} />
          <span className={classes.kindName}>{say.kinds[entry.kind]}</span>
        </span>
        <span className={classes.words}>{words}</span>
        <span className={classes.tail}>{tail}</span>
      </div>
    )
  },
  // The total changes with every entry; the other rows need no new render.
  (before, now) => before.entry === now.entry && before.place === now.place && before.chosen === now.chosen,
)
