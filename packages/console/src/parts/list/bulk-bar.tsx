import { Button, Group, Text } from '@mantine/core'
import { useState } from 'react'
import { useText } from '#words/use-text.tsx'
import { useFormat } from '../value/use-format.ts'
import type { BulkAction } from './columns.ts'
import classes from './list.module.css'
import { text } from './text.ts'
import type { Selection } from './use-selection.ts'

export interface BulkBarProps<Row> {
  actions: readonly BulkAction<Row>[]
  /** Those that are ticked. */
  rows: readonly Row[]
  /** All that could be. */
  found: readonly Row[]
  selection: Selection<Row>
}

/** What can be done with the rows that are ticked; stays in sight at the bottom of the list. */
export const BulkBar = <Row,>({ actions, rows, found, selection }: BulkBarProps<Row>) => {
  const say = useText(text)
  const { number } = useFormat()
  const [running, setRunning] = useState<string>()
  const run = async (action: BulkAction<Row>): Promise<void> => {
    setRunning(action.label)
    try {
      await action.run(rows)
    } finally {
      setRunning(undefined)
    }
  }
  return (
    <Group gap="xs" className={classes.bulk} role="group" aria-label={say.bulk}>
      <Text size="sm" fw={600} role="status">
        {say.selected(number(rows.length))}
      </Text>
      {found.length > rows.length && (
        <Button size="compact-sm" variant="subtle" onClick={() => selection.set(found, true)}>
          {say.selectAll(number(found.length))}
        </Button>
      )}
      {actions.map((action) => (
        <Button
          key={action.label}
          size="compact-sm"
          variant="default"
          loading={running === action.label}
          disabled={running !== undefined && running !== action.label}
          onClick={() => void run(action)}
          {...(action.danger && { c: 'var(--mantine-color-error)' })}
        >
          {action.label}
        </Button>
      ))}
      <Button size="compact-sm" variant="subtle" color="gray" ml="auto" onClick={selection.clear}>
        {say.unselect}
      </Button>
    </Group>
  )
}
