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
  /** How many the service finds, those among them that were not read yet; undefined when they are too many to be counted. */
  total: number | undefined
  selection: Selection<Row>
}

/** So many the service changes at once. */
const maxConcurrent = 10_000

/** What can be done with the rows that are ticked; stays in sight at the bottom of the list. */
export const BulkBar = <Row,>(bar: BulkBarProps<Row>) => {
  const { actions, rows, total, selection } = bar
  const say = useText(text)
  const { number } = useFormat()
  const [running, setRunning] = useState<string>()
  const run = async (action: BulkAction<Row>): Promise<void> => {
    setRunning(action.label)
    try {
      if (selection.isOfAll && action.runAll && total !== undefined) {
        await action.runAll(total)
        // What comes in afterwards was not meant.
        selection.clear()
      } else await action.run(rows)
    } finally {
      setRunning(undefined)
    }
  }
  return (
    <Group gap="xs" className={classes.bulk} role="group" aria-label={say.bulk}>
      <Text size="sm" fw={600} role="status">
        {say.selected(number(selection.isOfAll && total !== undefined ? total : rows.length))}
      </Text>
      <More {...bar} />
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

/** Ticks the rest of the rows, or chooses all that is found without reading it. */
const More = <Row,>({ actions, rows, found, total, selection }: BulkBarProps<Row>) => {
  const say = useText(text)
  const { number } = useFormat()
  if (selection.isOfAll) return null
  const isLonger = total === undefined || total > found.length
  if (!isLonger || !actions.every(({ runAll }) => runAll))
    return (
      found.length > rows.length && (
        <Button size="compact-sm" variant="subtle" onClick={() => selection.set(found, true)}>
          {say.selectAll(number(found.length))}
        </Button>
      )
    )
  if (total === undefined || total > maxConcurrent)
    return (
      <Text size="sm" c="dimmed">
        {say.tooMany(number(maxConcurrent))}
      </Text>
    )
  return (
    <Button size="compact-sm" variant="subtle" onClick={selection.setAll}>
      {say.selectFound(number(total))}
    </Button>
  )
}
