import { Badge } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './status-badge.module.css'

export type Tone = 'good' | 'busy' | 'warning' | 'bad' | 'quiet'

const colours: Record<Tone, string> = { good: 'pine', busy: 'blue', warning: 'yellow', bad: 'red', quiet: 'gray' }

/** A state in one or two words. `pulse`: it is happening now. */
export const StatusBadge = ({ tone, pulse = false, children }: { tone: Tone; pulse?: boolean; children: ReactNode }) => (
  <Badge color={colours[tone]} className={classes.badge} data-tone={tone} leftSection={<span className={classes.dot} data-pulse={pulse} />}>
    {children}
  </Badge>
)
