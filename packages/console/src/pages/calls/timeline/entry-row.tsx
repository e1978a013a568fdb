import type { TimelineEntry, TimelineKind } from '@offhook/contract/v2/timeline.ts'
import { memo } from 'react'
import { Icon, type IconName } from '#parts/icon/icon.tsx'
import { useText } from '#words/use-text.tsx'
import classes from './entries-view.module.css'
import { summarise } from './summarise.ts'
import { text } from './text.ts'
import { isProblem, type TimelinePicture } from './timeline-book.ts'

/** As in the style sheet. */
export const rowHeight = 32

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

export const EntryRow = memo(
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
  // The number of all changes with every entry; it is not worth drawing the others again.
  (before, now) => before.entry === now.entry && before.place === now.place && before.chosen === now.chosen,
)
