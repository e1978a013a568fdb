import { Anchor, NativeSelect, NumberInput, Stack, Switch, Text, TextInput } from '@mantine/core'
import { Link } from 'wouter'
import { Section } from '#parts/page/section.tsx'
import { useText } from '#words/use-text.tsx'
import { Fields } from '../../settings/fields.tsx'
import type { DraftForm } from '../use-draft-form.ts'
import type { PartProps } from './part-props.ts'
import { HttpTools } from './http-tools.tsx'
import { ListEditor } from './list-editor.tsx'
import { SmsTool } from './sms-tool.tsx'
import { text } from './tools-text.ts'

/** What the assistant may do beside talking. */
export const ToolsPart = (props: PartProps) => {
  const say = useText(text)
  const { form, flowId } = props
  return (
    <>
      <Section title={say.own} description={say.ownHint}>
        <Stack>
          <Switch label={say.hangUp} {...form.tick('tools/hang_up', true)} />
          <Switch label={say.takeMessage} {...form.exists('tools/take_message')} />
          {form.at('tools/take_message') !== undefined && <MessageFields form={form} />}
          <Switch label={say.collectDigits} {...form.exists('tools/collect_digits')} />
          {form.at('tools/collect_digits') !== undefined && <DigitFields form={form} />}
          <Switch label={say.sendSms} {...form.exists('tools/send_sms')} />
          {form.at('tools/send_sms') !== undefined && <SmsTool form={form} />}
        </Stack>
      </Section>
      <Section
        title={say.transfer}
        description={
          <>
            {say.transferHint}{' '}
            <Anchor component={Link} href={`/flows/${flowId}`} inherit underline="always">
              {say.toTargets}
            </Anchor>
          </>
        }
      >
        <ListEditor
          form={form}
          path="tools/transfer"
          most={20}
          fresh={{ name: '', target: '', when: '' }}
          add={say.addTarget}
          remove={say.removeTarget}
          none={say.noTarget}
        >
          {(path) => <Transfer form={form} path={path} />}
        </ListEditor>
      </Section>
      <HttpTools {...props} />
    </>
  )
}

const MessageFields = ({ form }: { form: DraftForm }) => {
  const say = useText(text)
  return (
    <Fields>
      <TextInput label={say.messageEmail} maxLength={200} {...form.text('tools/take_message/email')} />
      <TextInput label={say.messageSms} placeholder="+49…" maxLength={40} {...form.text('tools/take_message/sms')} />
    </Fields>
  )
}

const DigitFields = ({ form }: { form: DraftForm }) => {
  const say = useText(text)
  return (
    <Fields>
      <NumberInput label={say.maxDigits} placeholder={say.usual('20')} min={1} max={30} {...form.count('tools/collect_digits/most')} />
      <NumberInput
        label={say.digitSeconds}
        placeholder={say.usual('10')}
        min={2}
        max={60}
        {...form.count('tools/collect_digits/seconds')}
      />
      <NativeSelect
        label={say.endKey}
        data={[{ value: '', label: say.usual('#') }, '#', '*']}
        {...form.text('tools/collect_digits/end_key')}
      />
    </Fields>
  )
}

const Transfer = ({ form, path }: { form: DraftForm; path: string }) => {
  const say = useText(text)
  return (
    <Stack gap="xs">
      <Fields>
        <TextInput label={say.targetName} description={say.nameHint} required maxLength={40} {...form.text(`${path}/name`)} />
        <TextInput label={say.target} description={say.targetHint} required maxLength={40} {...form.text(`${path}/target`)} />
        <TextInput label={say.when} description={say.whenHint} required maxLength={300} {...form.text(`${path}/when`)} />
        <NativeSelect
          label={say.mode}
          data={[
            { value: '', label: say.modes.usual },
            ...(['blind', 'warm'] as const).map((value) => ({ value, label: say.modes[value] })),
          ]}
          {...form.text(`${path}/mode`)}
        />
      </Fields>
      {form.problem(path) && (
        <Text size="sm" c="var(--mantine-color-error)">
          {form.problem(path)}
        </Text>
      )}
    </Stack>
  )
}
