import type { ReactNode } from 'react'
import classes from './status-badge.module.css'

export type Tone = 'good' | 'busy' | 'warning' | 'bad' | 'quiet'

/** Maximum characters in one line. */
const maxLineLength = 18

/** A state in one or two words. `pulse`: in progress. */
export const StatusBadge = ({ tone, pulse = false, children }: { tone: Tone; pulse?: boolean; children: ReactNode }) => (
  <span className={classes.badge} data-tone={tone} data-short={typeof children === 'string' && children.length <= maxLineLength}>
    <span className={classes.dot} data-pulse={pulse} />
    {children}
  </span>
)
