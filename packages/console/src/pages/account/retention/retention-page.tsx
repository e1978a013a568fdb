import { Page } from '#parts/page/page.tsx'
import { useText } from '#words/use-text.tsx'
import { Anchor, Button, Group, Radio, Stack, Text, NumberInput } from '@mantine/core'
import { Link } from 'wouter'
import { useRead, useWrite, type OutputOf } from '#api/use-service.ts'
import { useToast } from '#parts/dialog/toast.tsx'
import { ErrorNotice } from '#parts/form/error-notice.tsx'
import { useForm } from '#parts/form/use-form.ts'
import { Loaded } from '#parts/page/loaded.tsx'
import { Section } from '#parts/page/section.tsx'
import { text as partsText } from '#parts/text.ts'
import { Facts } from '#parts/value/facts.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { recordingRules, text as ruleText } from '#lazy-parts/recording-rule-text.ts'
import { text as accountText } from '../parts/text.ts'
import type { RetentionKind } from '@offhook/contract/v1/settings/retention.ts'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import { retentionKinds, text as retentionText } from '#lazy-parts/retention-text.ts'
import { text } from './text.ts'

/** Recording rules and retention of calls and messages. */
export const RetentionPage = () => {
  const say = useText(text)
  return (
    <Page title={say.title} description={say.lead} width="narrow">
      <RecordingSection />
      <RetentionSection />
    </Page>
  )
}

type RecordingRules = OutputOf<'getRecordingRule'>

export const RecordingSection = () => {
  const { title } = useText(ruleText)
  const { recordingHint } = useText(text)
  const rules = useRead('getRecordingRule')
  return (
    <Section title={title} description={recordingHint}>
      <Loaded query={rules}>
        {(now) => (
          <Stack>
            <RuleForm key={now.rule} rule={now.rule} />
            <OwnRules numbers={now.numbers} />
          </Stack>
        )}
      </Loaded>
    </Section>
  )
}

const RuleForm = ({ rule }: Pick<RecordingRules, 'rule'>) => {
  const { title, rules, hints } = useText(ruleText)
  const { saved } = useText(accountText)
  const { save } = useText(partsText)
  const toast = useToast()
  const change = useWrite('setRecordingRule', { refreshes: ['getRecordingRule'], onDone: () => toast.done(saved) })
  const form = useForm({ rule }, change.error)
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        change.mutate([{}, form.values])
      }}
    >
      <Stack>
        <Radio.Group aria-label={title} {...form.value('rule')}>
          <Stack gap="xs">
            {recordingRules.map((one) => (
              <Radio key={one} value={one} label={rules[one]} description={hints[one]} />
            ))}
          </Stack>
        </Radio.Group>
        <ErrorNotice error={change.error} />
        <Group>
          <Button type="submit" loading={change.isPending} disabled={!form.changed}>
            {save}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

const OwnRules = ({ numbers }: Pick<RecordingRules, 'numbers'>) => {
  const say = useText(text)
  const { rules } = useText(ruleText)
  const { phone } = useFormat()
  return (
    <>
      <Text size="sm">
        {say.ownRules}{' '}
        <Anchor component={Link} href="/numbers" underline="always" inherit>
          {say.toNumbers}
        </Anchor>
      </Text>
      {numbers.length > 0 && <Facts facts={numbers.map(({ number, rule }) => [phone(number), rules[rule]])} />}
    </>
  )
}

type Retention = OutputOf<'getRetention'>
type Days = Record<RetentionKind, number | ''>

export const RetentionSection = () => {
  const { title } = useText(retentionText)
  const { retentionHint } = useText(text)
  const retention = useRead('getRetention')
  return (
    <Section title={title} description={retentionHint}>
      <Loaded query={retention}>{(now) => <RetentionForm key={JSON.stringify(now)} retention={now} />}</Loaded>
    </Section>
  )
}

const mapKinds = <T,>(valueOf: (kind: RetentionKind) => T): Record<RetentionKind, T> =>
  Object.fromEntries(retentionKinds.map((kind) => [kind, valueOf(kind)])) as Record<RetentionKind, T>

const RetentionForm = ({ retention }: { retention: Retention }) => {
  const say = useText(text)
  const { kinds, days, forever, notKept } = useText(retentionText)
  const { saved } = useText(accountText)
  const { save } = useText(partsText)
  const toast = useToast()
  const confirm = useConfirm()
  const change = useWrite('setRetention', { refreshes: ['getRetention'], onDone: () => toast.done(saved) })
  const form = useForm<Days>(
    mapKinds((kind) => retention[kind].days ?? ''),
    change.error,
  )
  const limitOf = (maxDays: number | null): string => (maxDays === null ? forever : maxDays === 0 ? notKept : days(maxDays))
  const submit = async (): Promise<void> => {
    const { title, body, do: doIt } = say.confirm
    if (!isShorter(retention, form.values) || (await confirm({ title, body, confirm: doIt })))
      change.mutate([{}, mapKinds((kind) => form.values[kind] || null)])
  }
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      <Stack>
        {retentionKinds.map((kind) => (
          <NumberInput
            key={kind}
            label={kinds[kind]}
            description={say.hints[kind]}
            placeholder={say.operators(limitOf(retention[kind].maxDays))}
            suffix={say.unit}
            min={1}
            max={retention[kind].maxDays ?? 3_650}
            allowDecimal={false}
            disabled={retention[kind].maxDays === 0}
            {...form.value(kind)}
          />
        ))}
        <ErrorNotice error={change.error} />
        <Group>
          <Button type="submit" loading={change.isPending} disabled={!form.changed}>
            {save}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

/** Whether data would be deleted that is kept now. */
const isShorter = (retention: Retention, days: Days): boolean =>
  retentionKinds.some((kind) => days[kind] !== '' && days[kind] < (retention[kind].effectiveDays ?? Infinity))
