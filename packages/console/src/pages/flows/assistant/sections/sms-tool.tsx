import { NumberInput, Stack, Switch, Textarea, TextInput } from '@mantine/core'
import { useText } from '#words/use-text.tsx'
import type { DraftForm } from '../use-draft-form.ts'
import { ListEditor } from './list-editor.tsx'
import { text } from './tools-text.ts'

/** SMS go only to who calls; what stands in them is written here. */
export const SmsTool = ({ form }: { form: DraftForm }) => {
  const say = useText(text)
  return (
    <Stack gap="sm">
      <ListEditor
        form={form}
        path="tools/send_sms/templates"
        most={20}
        fresh={{ name: '', text: '' }}
        add={say.addSms}
        remove={say.removeSms}
      >
        {(path) => (
          <Stack gap="xs">
            <TextInput label={say.smsName} description={say.nameHint} required maxLength={40} {...form.text(`${path}/name`)} />
            <Textarea
              label={say.smsText}
              description={say.smsTextHint}
              required
              autosize
              minRows={2}
              maxLength={600}
              {...form.text(`${path}/text`)}
            />
          </Stack>
        )}
      </ListEditor>
      <Switch label={say.freeText} {...form.tick('tools/send_sms/free_text')} />
      <NumberInput
        label={say.smsPerCall}
        placeholder={say.usual('1')}
        min={1}
        max={5}
        maw="16rem"
        {...form.count('tools/send_sms/per_call')}
      />
    </Stack>
  )
}
