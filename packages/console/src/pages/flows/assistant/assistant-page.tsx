import { Alert, Button, Group, List, Tabs } from '@mantine/core'
import { Link } from 'wouter'
import { useMay } from '#api/use-may.ts'
import { useRead } from '#api/use-service.ts'
import { useToast } from '#parts/dialog/toast.tsx'
import { useProblemFocus } from '#parts/form/use-problem-focus.ts'
import { useLeaveGuard } from '#parts/leave/leave-guard.ts'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Loaded } from '#parts/page/loaded.tsx'
import { Section } from '#parts/page/section.tsx'
import { StatusBadge } from '#parts/value/status-badge.tsx'
import { useText } from '#words/use-text.tsx'
import { FlowFrame } from '../parts/flow-frame.tsx'
import { isAssistant, type Flow } from '../parts/flow-state.tsx'
import settings from '../settings/settings.module.css'
import classes from './assistant-page.module.css'
import { FirstDraft } from './first-draft.tsx'
import { Publish } from './publish.tsx'
import { SaveLine } from './save-line.tsx'
import { BasicsPart } from './sections/basics-part.tsx'
import { KeysPart } from './sections/keys-part.tsx'
import type { PartProps } from './sections/part-props.ts'
import { ResultPart } from './sections/result-part.tsx'
import { RulesPart } from './sections/rules-part.tsx'
import { ToolsPart } from './sections/tools-part.tsx'
import { text } from './text.ts'
import { TrialPanel } from './trial/trial-panel.tsx'
import { useSaving, type Assistant } from './use-saving.ts'

/** The assistant that is being written, and beside it a telephone to try it. */
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

/** The first one has all that an assistant needs. */
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
