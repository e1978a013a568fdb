import { Alert, Button, Group, List, Tabs, Switch, Text, TextInput, Stack, Textarea } from '@mantine/core'
import { Link } from 'wouter'
import { useMay } from '#api/use-may.ts'
import { useRead, useWrite } from '#api/use-service.ts'
import { useToast } from '#parts/dialog/toast.tsx'
import { useProblemFocus } from '#parts/form/form-modal.tsx'
import { FormModal } from '#parts/form/form-modal.tsx'
import { useLeaveGuard } from '#parts/leave/leave-guard.ts'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Loaded } from '#parts/page/loaded.tsx'
import { Section } from '#parts/page/section.tsx'
import { StatusBadge } from '#parts/value/status-badge.tsx'
import { useText, useLanguage } from '#words/use-text.tsx'
import { FlowFrame } from '../parts/flow-frame.tsx'
import { isAssistant, type Flow } from '../parts/flow-state.tsx'
import settings from '../settings/settings.module.css'
import classes from './assistant-page.module.css'
import { SaveLine } from './save-line.tsx'
import { KeysPart } from './sections/keys-part.tsx'
import type { PartProps } from './sections/part-props.ts'
import { ResultPart } from './sections/result-part.tsx'
import { RulesPart } from './sections/rules-part.tsx'
import { ToolsPart } from './sections/tools-part.tsx'
import { text } from './text.ts'
import { TrialPanel } from './trial/trial-panel.tsx'
import { useSaving, type Assistant } from './use-saving.ts'
import { assistantTemplates, templateNames } from '@offhook/contract/v3/assistant-templates.ts'
import { ErrorNotice } from '#parts/form/error-notice.tsx'
import { beginningOf, type Beginning } from './template-draft.ts'
import { useState } from 'react'
import { useForm } from '#parts/form/use-form.ts'
import { Icon } from '#parts/icon/icon.tsx'
import { SayButton } from '#lazy-parts/speech/say-button.tsx'
import { ModelSection } from './sections/model-section.tsx'

/** The draft assistant, and next to it a telephone to try it. */
export const AssistantPage = () => (
  <FlowFrame tab="assistant" width="full">
    {(flow) => (isAssistant(flow) ? <Draft key={flow.id} flow={flow} /> : <NotHere />)}
  </FlowFrame>
)

const Draft = ({ flow }: { flow: Flow }) => {
  const assistant = useRead('getAssistant', { aiFlowId: flow.id })
  if (assistant.error?.body.code === 'assistant_not_set') return <FirstDraft flowId={flow.id} />
  return <Loaded query={assistant}>{(kept) => <Desk flow={flow} kept={kept} />}</Loaded>
}

const Desk = ({ flow, kept }: { flow: Flow; kept: Assistant }) => {
  const say = useText(text)
  const toast = useToast()
  const may = useMay()('CAN_CHANGE_FLOWS')
  const saving = useSaving(flow.id, kept)
  const { form, warnings } = saving
  const ref = useProblemFocus(saving.error)
  useLeaveGuard(form.changed)
  const saveFirst = async (): Promise<boolean> => {
    if (!form.changed) return true
    const isSaved = await saving.save()
    if (isSaved) toast.done(say.savedDraft)
    return isSaved
  }
  return (
    <div className={classes.frame}>
      <div className={classes.desk}>
        <form ref={ref} noValidate className={classes.column} onSubmit={(event) => event.preventDefault()}>
          {may ? <StateLine kept={kept} flowId={flow.id} saveFirst={saveFirst} /> : <Alert color="gray">{say.readOnly}</Alert>}
          {warnings.length > 0 && <Warnings warnings={warnings} />}
          <fieldset disabled={!may} className={settings.stack}>
            <Parts form={form} flowId={flow.id} kept={kept} saveFirst={saveFirst} />
          </fieldset>
          <SaveLine flowId={flow.id} saving={saving} kept={kept} />
        </form>
        <div className={`${classes.column} ${classes.trial}`}>
          <TrialPanel flowId={flow.id} saveFirst={saveFirst} />
        </div>
      </div>
    </div>
  )
}

/** The first part has all required fields. */
const Parts = (props: PartProps) => {
  const say = useText(text)
  const parts = {
    basics: <BasicsPart {...props} />,
    keys: <KeysPart form={props.form} />,
    tools: <ToolsPart {...props} />,
    rules: <RulesPart {...props} />,
    result: <ResultPart form={props.form} />,
  }
  const names = Object.keys(parts) as (keyof typeof parts)[]
  return (
    <Tabs defaultValue="basics" keepMounted={false} variant="pills">
      <Tabs.List aria-label={say.partsOf} mb="lg">
        {names.map((name) => (
          <Tabs.Tab key={name} value={name}>
            {say.parts[name]}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {names.map((name) => (
        <Tabs.Panel key={name} value={name} className={settings.stack}>
          {parts[name]}
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}

const StateLine = ({ kept, flowId, saveFirst }: { kept: Assistant; flowId: string; saveFirst: () => Promise<boolean> }) => {
  const say = useText(text)
  const rollout = useRead('getRollout', { aiFlowId: flowId })
  const isNew = rollout.data !== undefined && rollout.data.stable === undefined
  return (
    <Group justify="space-between">
      {kept.published !== undefined ? (
        <StatusBadge tone="good">{say.equals(kept.published)}</StatusBadge>
      ) : (
        <StatusBadge tone="warning">{isNew ? say.never : say.newer}</StatusBadge>
      )}
      <Publish flowId={flowId} saveFirst={saveFirst} />
    </Group>
  )
}

const Warnings = ({ warnings }: { warnings: readonly string[] }) => {
  const say = useText(text)
  return (
    <Alert color="yellow" title={say.warnings}>
      <List size="sm" lang="en">
        {warnings.map((warning) => (
          <List.Item key={warning}>{warning}</List.Item>
        ))}
      </List>
    </Alert>
  )
}

const NotHere = () => {
  const say = useText(text)
  return (
    <Section>
      <EmptyState
        icon="flow"
        title={say.notHereTitle}
        action={
          <Button component={Link} href="/flows" variant="default">
            {say.toFlows}
          </Button>
        }
      >
        {say.notHere}
      </EmptyState>
    </Section>
  )
}

/** For a flow that had its own endpoint and has no assistant yet. */
export const FirstDraft = ({ flowId }: { flowId: string }) => {
  const say = useText(text)
  const { language } = useLanguage()
  const write = useWrite('changeAssistant', { refreshes: ['getAssistant'] })
  const begin = (beginning: Beginning): void => write.mutate([{ aiFlowId: flowId }, { settings: beginningOf(beginning, language) }])
  const choices: [Beginning, string][] = [
    ...templateNames.map((name): [Beginning, string] => [name, assistantTemplates[name][language].name]),
    ['blank', say.blank],
  ]
  return (
    <Section>
      <EmptyState
        icon="message"
        title={say.firstTitle}
        action={
          <Group gap="xs" justify="center">
            {choices.map(([beginning, label]) => (
              <Button key={beginning} variant="default" loading={write.isPending} onClick={() => begin(beginning)}>
                {label}
              </Button>
            ))}
          </Group>
        }
      >
        {say.first}
      </EmptyState>
      <ErrorNotice error={write.error} />
    </Section>
  )
}

/** Saves the draft and publishes a version. */
export const Publish = ({ flowId, saveFirst }: { flowId: string; saveFirst: () => Promise<boolean> }) => {
  const [opened, setOpened] = useState(false)
  const say = useText(text)
  const open = async (): Promise<void> => {
    if (await saveFirst()) setOpened(true)
  }
  return (
    <>
      <Button leftSection={<Icon name="upload" size={16} />} onClick={() => void open()}>
        {say.publish}
      </Button>
      {opened && <PublishForm flowId={flowId} onClose={() => setOpened(false)} />}
    </>
  )
}

const PublishForm = ({ flowId, onClose }: { flowId: string; onClose: () => void }) => {
  const say = useText(text)
  const toast = useToast()
  const publish = useWrite('publishAssistant', {
    refreshes: ['getAssistant', 'listAssistantVersions', 'getRollout', 'getFlow', 'listFlows'],
    onDone: ({ version }) => {
      toast.done(say.published(version))
      onClose()
    },
  })
  const form = useForm({ note: '', stable: true }, publish.error)
  const { note, stable } = form.values
  return (
    <FormModal
      opened
      title={say.publishTitle}
      submit={say.publish}
      onClose={onClose}
      onSubmit={() => publish.mutate([{ aiFlowId: flowId }, { stable, ...(note.trim() !== '' && { note: note.trim() }) }])}
      pending={publish.isPending}
      error={publish.error}
    >
      <Text size="sm">{say.publishBody}</Text>
      <TextInput label={say.note} description={say.noteHint} maxLength={500} data-autofocus {...form.text('note')} />
      <Switch label={say.stable} {...form.tick('stable')} />
    </FormModal>
  )
}

/** All required settings: greeting, persona, model. */
export const BasicsPart = (props: PartProps) => {
  const say = useText(text)
  const { form } = props
  return (
    <>
      <Section title={say.speaks}>
        <Stack>
          <Greeting {...props} />
          <Textarea
            label={say.prompt}
            description={say.promptHint}
            autosize
            minRows={8}
            maxRows={16}
            maxLength={32_000}
            {...form.text('prompt')}
          />
        </Stack>
      </Section>
      <ModelSection {...props} />
    </>
  )
}

/** The greeting, with a voice sample. */
const Greeting = ({ form, flowId }: PartProps) => {
  const say = useText(text)
  const flow = useRead('getFlow', { aiFlowId: flowId }).data
  const field = form.text('greeting')
  const { provider, voice } = flow?.tts ?? {}
  return (
    <Group gap="xs" align="flex-start" wrap="nowrap">
      <TextInput
        label={say.greeting}
        description={say.greetingHint}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        required
        maxLength={1000}
        flex={1}
        {...field}
      />
      <SayButton
        {...(provider !== undefined && { provider })}
        {...(typeof voice === 'string' && { voice })}
        language={flow?.speech.speaks.language ?? 'en'}
        text={field.value}
      />
    </Group>
  )
}
