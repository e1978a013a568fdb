import { Button } from '@mantine/core'
import type { TimelineEntry, TimelineKind } from '@offhook/contract/v2/timeline.ts'
import { memo, useId, type KeyboardEvent } from 'react'
import { Icon, type IconName } from '#parts/icon/icon.tsx'
import { useText } from '#words/use-text.tsx'
import classes from './entries-view.module.css'
import { summarise } from './summarise.ts'
import { text } from './text.ts'
import { isProblem, type TimelinePicture } from './timeline-book.ts'
import { useWindow } from './use-window.ts'

/** As in the style sheet. */
const rowHeight = 32

export interface EntryListProps {
  entries: readonly TimelineEntry[]
  eventTypes: TimelinePicture['eventTypes']
  startedAt: number | undefined
  /** The newest is seen, until somebody looks at another. */
  isLive: boolean
  /** Sequence of the entry whose details are shown. */
  chosen: number | undefined
  onChoose: (sequence: number) => void
}

/** However many there are, only those that can be seen are in the page. */
export const EntryList = ({ entries, eventTypes, startedAt = 0, isLive, chosen, onChoose }: EntryListProps) => {
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
            <Row
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

const kindIcons: Readonly<Record<TimelineKind, IconName>> = {
  call: 'phone',
  sound: 'alert',
  voice: 'wave',
  heard: 'microphone',
  key: 'hash',
  event: 'bolt',
  attempt: 'send',
  message: 'download',
  action: 'play',
  speaks: 'sound',
  spoke: 'check',
  discarded: 'x',
  turn: 'speed',
  problem: 'alert',
}

interface RowProps {
  id: string
  entry: TimelineEntry
  eventTypes: TimelinePicture['eventTypes']
  startedAt: number
  place: number
  count: number
  chosen: boolean
  onChoose: (place: number) => void
}

const Row = memo(
  ({ id, entry, eventTypes, startedAt, place, count, chosen, onChoose }: RowProps) => {
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
  // The number of all changes with every entry; it is not worth drawing the others again.
  (before, now) => before.entry === now.entry && before.place === now.place && before.chosen === now.chosen,
)
