import { Checkbox, NativeSelect, NumberInput, PasswordInput, Stack, TextInput } from '@mantine/core'
import { Section } from '#parts/page/section.tsx'
import { useText } from '#words/use-text.tsx'
import { Fields } from '../../settings/fields.tsx'
import type { DraftForm } from '../use-draft-form.ts'
import type { PartProps } from './part-props.ts'
import { JsonField } from './json-field.tsx'
import { ListEditor } from './list-editor.tsx'
import { More } from './more.tsx'
import { ToolTest } from './tool-test.tsx'
import { text } from './tools-text.ts'

const fresh = { name: '', description: '', url: '', parameters: { type: 'object', properties: {} } }

/** Programs of the customer's that the assistant may ask. */
export const HttpTools = ({ form, flowId, saveFirst }: PartProps) => {
  const say = useText(text)
  return (
    <Section title={say.http} description={say.httpHint}>
      <ListEditor form={form} path="tools/http" most={20} fresh={fresh} add={say.addHttp} remove={say.removeHttp} none={say.noHttp}>
        {(path) => {
          const name = (form.at(`${path}/name`) as string | undefined) ?? ''
          return (
            <Stack gap="sm">
              <HttpTool form={form} path={path} />
              {name !== '' && <ToolTest flowId={flowId} tool={name} saveFirst={saveFirst} />}
            </Stack>
          )
        }}
      </ListEditor>
    </Section>
  )
}

const HttpTool = ({ form, path }: { form: DraftForm; path: string }) => {
  const say = useText(text)
  const at = (name: string): string => `${path}/${name}`
  return (
    <>
      <Fields>
        <TextInput label={say.toolName} description={say.nameHint} required maxLength={40} {...form.text(at('name'))} />
        <TextInput label={say.url} placeholder="https://example.com/orders" required maxLength={2000} {...form.text(at('url'))} />
      </Fields>
      <TextInput label={say.description} description={say.descriptionHint} required maxLength={1000} {...form.text(at('description'))} />
      <TextInput label={say.beforeText} description={say.beforeTextHint} maxLength={200} {...form.text(at('before_text'))} />
      <JsonField form={form} path={at('parameters')} label={say.parameters} description={say.parametersHint} />
      <More label={say.more}>
        <Stack gap="sm">
          <Fields>
            <NativeSelect label={say.method} data={[{ value: '', label: say.usual('POST') }, 'POST', 'GET']} {...form.text(at('method'))} />
            <NumberInput label={say.timeout} placeholder={say.usual('4000')} min={100} max={30_000} {...form.count(at('timeout_ms'))} />
          </Fields>
          <Checkbox label={say.idempotent} {...form.tick(at('idempotent'))} />
          <ListEditor form={form} path={at('headers')} most={10} fresh={{ name: '' }} add={say.addHeader} remove={say.removeHeader}>
            {(header) => (
              <Fields>
                <TextInput label={say.headerName} maxLength={60} {...form.text(`${header}/name`)} />
                <PasswordInput
                  label={say.headerValue}
                  description={say.headerValueHint}
                  autoComplete="off"
                  maxLength={2000}
                  {...form.text(`${header}/value`)}
                />
              </Fields>
            )}
          </ListEditor>
        </Stack>
      </More>
    </>
  )
}
