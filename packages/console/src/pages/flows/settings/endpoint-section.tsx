import { Checkbox, NativeSelect, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import type { Form } from '#parts/form/use-form.ts'
import { useText } from '#words/use-text.tsx'
import type { Flow } from '../parts/flow-state.tsx'
import { Fields } from './fields.tsx'
import { addressesOf, type FlowForm } from './flow-form.ts'
import { ProtocolFields } from './protocol-fields.tsx'
import { text } from './text.ts'

export const EndpointSection = ({ form, flow }: { form: Form<FlowForm>; flow: Flow }) => {
  const say = useText(text)
  return (
    <>
      <Text size="sm" c="dimmed" mb="sm">
        {say.endpointHint}
      </Text>
      <NativeSelect
        label={say.who}
        mb="md"
        maw="24rem"
        data={[
          { value: '', label: say.whoOwn },
          { value: 'assistant', label: say.whoAssistant },
        ]}
        {...form.text('endpoint')}
        value={form.values.endpoint === 'assistant' ? 'assistant' : ''}
      />
      {form.values.endpoint !== 'assistant' && (
        <Stack>
          <ProtocolFields form={form} />
          <OwnEndpoint form={form} flow={flow} />
        </Stack>
      )}
    </>
  )
}

const OwnEndpoint = ({ form, flow }: { form: Form<FlowForm>; flow: Flow }) => {
  const say = useText(text)
  const known = addressesOf(form.values.protocol)
  return (
    <Fields>
      {known.includes('webhookUrl') && (
        <TextInput label={say.webhookUrl} placeholder="https://example.com/assistant" {...form.text('webhookUrl')} />
      )}
      {known.includes('websocketUrl') && (
        <TextInput label={say.websocketUrl} placeholder="wss://example.com/assistant" {...form.text('websocketUrl')} />
      )}
      {known.includes('fallbackUrl') && (
        <TextInput label={say.fallbackUrl} description={say.fallbackUrlHint} {...form.text('fallbackUrl')} />
      )}
      <Stack gap="xs">
        <PasswordInput
          label={say.apiKey}
          description={say.apiKeyHint}
          placeholder={flow.apiKeySet ? say.apiKeySet : ''}
          autoComplete="off"
          disabled={form.values.removeApiKey}
          {...form.text('apiKey')}
        />
        {flow.apiKeySet && <Checkbox label={say.removeApiKey} {...form.tick('removeApiKey')} />}
      </Stack>
    </Fields>
  )
}
