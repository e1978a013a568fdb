import { useText } from '#words/use-text.tsx'
import type { TimelinePicture } from '../timeline/timeline-book.ts'
import { speechesOf, voicesOf, type LabRow, type Stretch } from './lab-rows.ts'
import classes from './lab-strip.module.css'
import { text } from './text.ts'

interface LabStripProps {
  rows: readonly LabRow[]
  seconds: number
  picture: TimelinePicture | undefined
}

/** How wide a second is at least: a long call is scrolled. */
const pixelsPerSecond = 12

/** Who spoke when, and below where the turns of each variant end. The same stands in words beneath. */
export const LabStrip = ({ rows, seconds, picture }: LabStripProps) => {
  const say = useText(text)
  const wholeMs = Math.max(1, seconds * 1000)
  return (
    <div className={classes.frame} tabIndex={0} role="region" aria-label={say.strip}>
      <div className={classes.strip} style={{ minWidth: `${seconds * pixelsPerSecond}px` }} aria-hidden="true">
        <Voices name={say.caller} who="caller" stretches={voicesOf(rows)} wholeMs={wholeMs} />
        <Voices name={say.assistant} who="assistant" stretches={speechesOf(picture)} wholeMs={wholeMs} />
        {rows.map((row) => (
          <Decisions key={row.key} row={row} wholeMs={wholeMs} />
        ))}
      </div>
    </div>
  )
}

const share = (ms: number, wholeMs: number): string => `${Math.min(100, (ms / wholeMs) * 100)}%`

const Voices = ({ name, who, stretches, wholeMs }: { name: string; who: string; stretches: readonly Stretch[]; wholeMs: number }) => (
  <div className={classes.lane}>
    <span className={classes.name}>{name}</span>
    {stretches.map(({ fromMs, toMs }) => (
      <span
        key={fromMs}
        className={classes.voice}
        data-who={who}
        style={{ left: share(fromMs, wholeMs), width: share(toMs - fromMs, wholeMs) }}
      />
    ))}
  </div>
)

const Decisions = ({ row: { name, turns, interruptions }, wholeMs }: { row: LabRow; wholeMs: number }) => (
  <div className={classes.lane}>
    <span className={classes.name}>{name}</span>
    {turns.map(({ startMs, endMs }) => (
      <span
        key={`turn ${startMs}`}
        className={classes.turn}
        style={{ left: share(startMs, wholeMs), width: share(endMs - startMs, wholeMs) }}
      />
    ))}
    {turns.map(({ decidedMs, outcome }) => (
      <span key={`end ${decidedMs}`} className={classes.end} data-outcome={outcome} style={{ left: share(decidedMs, wholeMs) }} />
    ))}
    {interruptions.map(({ atMs, false: isFalse = false }) => (
      <span key={`cut ${atMs}`} className={classes.cut} data-false={isFalse} style={{ left: share(atMs, wholeMs) }} />
    ))}
  </div>
)
