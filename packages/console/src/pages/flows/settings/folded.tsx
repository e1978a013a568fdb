import { Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { Icon } from '#parts/icon/icon.tsx'
import classes from './folded.module.css'

interface FoldedProps {
  id: string
  title: string
  /** Differences from the default, or the content. */
  summary: string
  open: boolean
  onToggle: (open: boolean) => void
  children: ReactNode
}

/** A collapsible card with its heading and a summary. */
export const Folded = ({ id, title, summary, open, onToggle, children }: FoldedProps) => (
  <details
    id={id}
    className={classes.card}
    open={open}
    onToggle={({ currentTarget }) => {
      if (currentTarget.open !== open) onToggle(currentTarget.open)
    }}
  >
    <summary className={classes.summary}>
      <Title order={2} className={classes.title}>
        {title}
      </Title>
      <Text span size="sm" c="dimmed" truncate title={summary} className={classes.about}>
        {summary}
      </Text>
      <Icon name={open ? 'chevronDown' : 'chevronRight'} size={16} />
    </summary>
    <div className={classes.body}>{children}</div>
  </details>
)
