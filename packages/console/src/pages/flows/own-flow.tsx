import { Code, Input, SegmentedControl, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { LanguagePicker } from '../../lazy-parts/speech/language-picker.tsx'
import { useWrite } from '#api/use-service.ts'
import { FormModal } from '#parts/form/form-modal.tsx'
import { SecretModal } from '#parts/dialog/secret-modal.tsx'
import { useForm } from '#parts/form/use-form.ts'
import { useText } from '#words/use-text.tsx'
import { text } from './parts/text.ts'

type Kind = 'webhook' | 'websocket' | 'none'

interface Values {
  name: string
  kind: Kind
  webhookUrl: string
  websocketUrl: string
  language: string
}

const nothing: Values = { name: '', kind: 'webhook', webhookUrl: '', websocketUrl: '', language: '' }

const inputOf = ({ name, kind, webhookUrl, websocketUrl, language }: Values) => ({
  name,
  ...(kind === 'webhook' && { webhookUrl: webhookUrl.trim() }),
  ...(kind === 'websocket' && { websocketUrl: websocketUrl.trim() }),
  ...(language.trim() !== '' && { language: language.trim() }),
})

/** A flow whose endpoint is a program of the customer's. Asks for the little that it needs, then shows its secret, then opens it. */
export const OwnFlow = ({ onClose }: { onClose: () => void }) => {
  const say = useText(text)
  const [, go] = useLocation()
  const [made, setMade] = useState<{ id: string; secret: string }>()
  const create = useWrite('createFlow', { refreshes: ['listFlows'], onDone: ({ id, secret }) => setMade({ id, secret }) })
  const form = useForm(nothing, create.error)
  if (made)
    return <SecretModal title={say.created} secrets={[{ label: say.secret, value: made.secret }]} onClose={() => go(`/flows/${made.id}`)} />
  return (
    <FormModal
      opened
      title={say.create}
      submit={say.make}
      onClose={onClose}
      onSubmit={() => create.mutate([{}, inputOf(form.values)])}
      pending={create.isPending}
      error={create.error}
    >
      <TextInput label={say.name} description={say.nameHint} required data-autofocus {...form.text('name')} />
      <Input.Wrapper label={say.kind} labelElement="div">
        <SegmentedControl
          fullWidth
          mt={4}
          aria-label={say.kind}
          data={(['webhook', 'websocket', 'none'] as const).map((value) => ({ value, label: say[value] }))}
          value={form.values.kind}
          onChange={(kind) => form.set('kind', kind)}
        />
      </Input.Wrapper>
      {form.values.kind === 'webhook' && (
        <TextInput label={say.webhookUrl} placeholder="https://example.com/assistant" required {...form.text('webhookUrl')} />
      )}
      {form.values.kind === 'websocket' && (
        <TextInput label={say.websocketUrl} placeholder="wss://example.com/assistant" required {...form.text('websocketUrl')} />
      )}
      {form.values.kind === 'none' && (
        <Text size="sm" c="dimmed">
          {say.noneHint} <Code>npx offhook listen</Code>
        </Text>
      )}
      <LanguagePicker label={say.language} {...form.value('language')} onChange={(tag) => form.set('language', tag)} />
    </FormModal>
  )
}
