import { NativeSelect, Textarea } from '@mantine/core'
import { Section } from '#parts/page/section.tsx'
import { useText } from '#words/use-text.tsx'
import { Fields } from '../../settings/fields.tsx'
import type { DraftForm } from '../use-draft-form.ts'
import { ListEditor } from './list-editor.tsx'
import { text } from './keys-text.ts'

const digits = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '0', '*', '#']
const actions = ['say', 'take_message', 'transfer', 'hang_up'] as const

/** What the keys of the telephone do, with a model and without. */
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
