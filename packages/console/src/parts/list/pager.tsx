import { ActionIcon, Group, Text } from '@mantine/core'
import { useRef } from 'react'
import { useText } from '#words/use-text.tsx'
import { Icon } from '../icon/icon.tsx'
import { useFormat } from '../value/use-format.ts'
import classes from './list.module.css'
import { text } from './text.ts'
import type { ListState } from './use-list-state.ts'

export interface PagerProps {
  state: ListState
  page: number
  size: number
  /** So many rows are there. */
  found: number
  /** So many there are; undefined while that is not known. */
  total: number | undefined
  hasMore: boolean
}

/** Turns the pages of a list. */
export const Pager = ({ state, page, size, found, total, hasMore }: PagerProps) => {
  const say = useText(text)
  const { number } = useFormat()
  const bar = useRef<HTMLDivElement>(null)
  const last = Math.ceil(found / size)
  if (last <= 1 && !hasMore) return null
  const turnTo = (wanted: number): void => {
    state.set({ page: wanted === 1 ? '' : String(wanted) })
    bar.current?.parentElement?.scrollIntoView({ block: 'nearest' })
  }
  return (
    <Group ref={bar} gap="xs" justify="flex-end" className={classes.pager} role="group" aria-label={say.pages}>
      <Text size="sm" c="dimmed">
        {say.range(
          number((page - 1) * size + 1),
          number(Math.min(page * size, found)),
          total === undefined ? say.more(number(found)) : number(Math.max(total, found)),
        )}
      </Text>
      <ActionIcon variant="default" aria-label={say.previous} disabled={page <= 1} onClick={() => turnTo(page - 1)}>
        <Icon name="chevronLeft" size={16} />
      </ActionIcon>
      <ActionIcon variant="default" aria-label={say.next} disabled={page >= last} onClick={() => turnTo(page + 1)}>
        <Icon name="chevronRight" size={16} />
      </ActionIcon>
    </Group>
  )
}
