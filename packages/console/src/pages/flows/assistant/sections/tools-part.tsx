import {
  Anchor,
  NativeSelect,
  NumberInput,
  Stack,
  Switch,
  Text,
  TextInput,
  Textarea,
  Checkbox,
  PasswordInput,
  Alert,
  Button,
  Group,
} from '@mantine/core'
import { Link } from 'wouter'
import { Section } from '#parts/page/section.tsx'
import { useText } from '#words/use-text.tsx'
import { Fields } from '../../settings/fields.tsx'
import type { DraftForm } from '../use-draft-form.ts'
import type { PartProps } from './part-props.ts'
import { ListEditor } from './keys-part.tsx'
import { text } from './tools-text.ts'
import { isMoved } from '../draft.ts'
import { JsonField } from './json-field.tsx'
import { More } from './model-fields.tsx'
import { useState } from 'react'
import { useMay } from '#api/use-may.ts'
import { useRead, useWrite, type OutputOf } from '#api/use-service.ts'
import { Pre } from '#lazy-parts/bytes-view.tsx'
import { ErrorNotice } from '#parts/form/error-notice.tsx'
import { Icon } from '#parts/icon/icon.tsx'

/** Actions of the assistant other than talking. */
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
          <CalendarTool form={form} />
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

/** Switched on with the first calendar of the account. */
const CalendarTool = ({ form }: { form: DraftForm }) => {
  const say = useText(text)
  const may = useMay()('CAN_GET_CALENDARS')
  const calendars = useRead('listCalendars', {}, { when: may })
  const all = calendars.data?.items ?? []
  const isOn = form.at('tools/calendar') !== undefined
  if (all.length === 0 && !isOn)
    return (
      <Text size="sm" c="dimmed">
        {say.noCalendar}{' '}
        <Anchor component={Link} href="/calendars" inherit underline="always">
          {say.toCalendars}
        </Anchor>
      </Text>
    )
  return (
    <>
      <Switch
        label={say.bookTimes}
        checked={isOn}
        onChange={(event) => form.set('tools/calendar', event.currentTarget.checked ? { calendar: all[0]?.id } : undefined)}
      />
      {isOn && (
        <Fields>
          <NativeSelect
            label={say.calendar}
            data={all.map(({ id, name }) => ({ value: id, label: name }))}
            {...form.text('tools/calendar/calendar')}
          />
          <NativeSelect
            label={say.calendarChanges}
            data={[
              { value: '', label: say.calendarChange.call },
              ...(['number', 'off'] as const).map((value) => ({ value, label: say.calendarChange[value] })),
            ]}
            {...form.text('tools/calendar/changes')}
          />
          <NumberInput
            label={say.bookingsPerCall}
            placeholder={say.usual('2')}
            min={1}
            max={10}
            {...form.count('tools/calendar/per_call')}
          />
          <Switch label={say.calendarMail} {...form.tick('tools/calendar/mail')} />
          <Switch label={say.calendarSms} {...form.tick('tools/calendar/sms')} />
        </Fields>
      )}
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
      <Switch label={say.cardDigits} description={say.cardDigitsHint} {...form.tick('tools/collect_digits/card')} />
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

/** SMS go only to the caller; their text is written here. */
const SmsTool = ({ form }: { form: DraftForm }) => {
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

const fresh = { name: '', description: '', url: '', parameters: { type: 'object', properties: {} } }

/** The customer's HTTP tools of the assistant. */
const HttpTools = ({ form, flowId, saveFirst }: PartProps) => {
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
  const before = form.began.tools?.http?.findIndex(({ name }) => name === form.at(at('name'))) ?? -1
  const isAgain = isMoved(form.draft, form.began, path, `tools/http/${before}`)
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
                  description={isAgain ? say.headerValueAgain : say.headerValueHint}
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

type ToolTestProps = { flowId: string; tool: string; saveFirst: () => Promise<boolean> }

/** Calls the tool as in a call, with typed arguments, and shows the exchange. */
const ToolTest = ({ flowId, tool, saveFirst }: ToolTestProps) => {
  const say = useText(text)
  const [words, setWords] = useState('{}')
  const [isJson, setJson] = useState(true)
  const test = useWrite('testTool')
  const run = async (): Promise<void> => {
    const given = argumentsOf(words)
    setJson(given !== undefined)
    if (given !== undefined && (await saveFirst())) test.mutate([{ aiFlowId: flowId, tool }, { arguments: given }])
  }
  return (
    <Stack gap="xs">
      <Group align="flex-end" gap="xs">
        <Textarea
          label={say.arguments}
          autosize
          minRows={1}
          spellCheck={false}
          style={{ flex: '1 1 14rem' }}
          value={words}
          onChange={(event) => setWords(event.currentTarget.value)}
          error={isJson ? undefined : say.noJson}
        />
        <Button variant="default" leftSection={<Icon name="bolt" size={16} />} loading={test.isPending} onClick={() => void run()}>
          {say.test}
        </Button>
      </Group>
      <ErrorNotice error={test.error} />
      {test.data && <Outcome outcome={test.data} />}
    </Stack>
  )
}

const Outcome = ({ outcome: { ok, ms, request, response, problem } }: { outcome: OutputOf<'testTool'> }) => {
  const say = useText(text)
  return (
    <Alert
      color={ok ? 'pine' : 'red'}
      role="alert"
      icon={<Icon name={ok ? 'check' : 'alert'} />}
      title={ok ? say.toolWorks(ms) : say.toolFails(ms)}
    >
      <Stack gap="xs">
        {problem !== undefined && (
          <Text size="sm" lang="en">
            {problem}
          </Text>
        )}
        {request && <Pre>{`${request.url}\n${headerLines(request.headers)}\n\n${request.body}`}</Pre>}
        {response && <Pre>{`${response.status}\n\n${response.body}`}</Pre>}
      </Stack>
    </Alert>
  )
}

const headerLines = (headers: Record<string, string>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')

const argumentsOf = (words: string): Record<string, unknown> | undefined => {
  try {
    const value: unknown = JSON.parse(words)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
