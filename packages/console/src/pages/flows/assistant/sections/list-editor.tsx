import { ActionIcon, Group, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Icon } from '#parts/icon/icon.tsx'
import { AddButton } from '#parts/page/add-button.tsx'
import type { DraftForm } from '../use-draft-form.ts'
import classes from './list-editor.module.css'

export interface ListEditorProps {
  form: DraftForm
  /** Of the list. */
  path: string
  most: number
  /** A new entry. */
  fresh: object
  add: string
  /** Says which entry is taken away. */
  remove: (place: number) => string
  /** Instead of a list without entries. */
  none?: string
  children: (path: string, place: number) => ReactNode
}

/** Entries of a list below each other, each with its fields. */
export const ListEditor = ({ form, path, most: max, fresh, add, remove, none, children }: ListEditorProps) => {
  const entries = (form.at(path) as object[] | undefined) ?? []
  const put = (list: object[]): void => form.set(path, list.length === 0 ? undefined : list)
  return (
    <Stack gap="sm">
      {entries.length === 0 && none !== undefined && (
        <Text size="sm" c="dimmed">
          {none}
        </Text>
      )}
      {entries.map((_entry, place) => (
        <Group key={place} className={classes.entry} align="flex-start" wrap="nowrap" role="group" aria-label={`${place + 1}`}>
          <div className={classes.fields}>{children(`${path}/${place}`, place)}</div>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={remove(place + 1)}
            onClick={() => put(entries.filter((_one, other) => other !== place))}
          >
            <Icon name="trash" size={16} />
          </ActionIcon>
        </Group>
      ))}
      {entries.length < max && (
        <Group>
          <AddButton variant="default" size="xs" onClick={() => put([...entries, fresh])}>
            {add}
          </AddButton>
        </Group>
      )}
    </Stack>
  )
}
