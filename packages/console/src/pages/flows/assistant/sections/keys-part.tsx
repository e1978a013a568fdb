import { NativeSelect, Textarea, ActionIcon, Group, Stack, Text } from '@mantine/core'
import { Section } from '#parts/page/section.tsx'
import { useText } from '#words/use-text.tsx'
import { Fields } from '#pages/flows/settings/fields.tsx'
import type { DraftForm } from '../use-draft-form.ts'
import type { ReactNode } from 'react'
import { Icon } from '#parts/icon/icon.tsx'
import { AddButton } from '#parts/page/add-button.tsx'
import classes from './list-editor.module.css'
import { text } from './keys-text.ts'

interface ListEditorProps {
  form: DraftForm
  /** Path of the list. */
  path: string
  most: number
  /** A new entry. */
  fresh: object
  add: string
  /** Label for removing an entry. */
  remove: (place: number) => string
  /** Shown in place of an empty list. */
  none?: string
  children: (path: string, place: number) => ReactNode
}

/** Entries of a list with their fields. */
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

const digits = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '0', '*', '#']
const actions = ['say', 'take_message', 'transfer', 'hang_up'] as const

/** Actions of the telephone keys, with and without a model. */
export const KeysPart = ({ form }: { form: DraftForm }) => {
  const say = useText(text)
  const taken = ((form.at('keys') as { digit: string }[] | undefined) ?? []).map(({ digit }) => digit)
  const free = digits.find((digit) => !taken.includes(digit)) ?? '1'
  return (
    <Section title={say.keys} description={say.keysHint}>
      <ListEditor
        form={form}
        path="keys"
        most={12}
        fresh={{ digit: free, does: 'say' }}
        add={say.add}
        remove={(place) => say.remove(taken[place - 1] ?? '')}
        none={say.none}
      >
        {(path) => <Key form={form} path={path} />}
      </ListEditor>
    </Section>
  )
}

const Key = ({ form, path }: { form: DraftForm; path: string }) => {
  const say = useText(text)
  const does = form.at(`${path}/does`)
  const targets = ((form.at('tools/transfer') as { name?: string }[] | undefined) ?? []).map(({ name = '' }) => name)
  return (
    <Fields>
      <NativeSelect label={say.digit} data={digits} {...form.text(`${path}/digit`)} />
      <NativeSelect label={say.does} data={actions.map((value) => ({ value, label: say.deeds[value] }))} {...form.text(`${path}/does`)} />
      {does === 'transfer' && (
        <NativeSelect
          label={say.transferTo}
          description={targets.length === 0 ? say.noTarget : undefined}
          data={['', ...targets]}
          {...form.text(`${path}/transfer_to`)}
        />
      )}
      <Textarea label={does === 'say' ? say.words : say.wordsBefore} autosize minRows={1} maxLength={1000} {...form.text(`${path}/text`)} />
    </Fields>
  )
}
