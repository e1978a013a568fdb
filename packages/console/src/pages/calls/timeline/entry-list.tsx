import { Button } from '@mantine/core'
import type { TimelineEntry } from '@offhook/contract/v2/timeline.ts'
import { useId, type KeyboardEvent } from 'react'
import { Icon } from '#parts/icon/icon.tsx'
import { useText } from '#words/use-text.tsx'
import classes from './entries-view.module.css'
import { text } from './text.ts'
import type { TimelinePicture } from './timeline-book.ts'
import { useWindow } from './use-window.ts'
import { EntryRow, rowHeight } from './entry-row.tsx'
import { rowAfter } from './row-after.ts'

export interface EntryListProps {
  entries: readonly TimelineEntry[]
  eventTypes: TimelinePicture['eventTypes']
  startedAt: number | undefined
  /** The newest is shown until the user chooses another. */
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
