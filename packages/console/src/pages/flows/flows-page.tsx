import { Text, Stack, UnstyledButton, Code, Input, SegmentedControl, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { useMay } from '#api/use-may.ts'
import { useRead, useWrite } from '#api/use-service.ts'
import { AddButton } from '#parts/page/add-button.tsx'
import type { Column } from '#parts/list/columns.ts'
import { List } from '#parts/list/list.tsx'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Loaded } from '#parts/page/loaded.tsx'
import { Page } from '#parts/page/page.tsx'
import { RowMenu } from '#parts/table/row-menu.tsx'
import { Section } from '#parts/page/section.tsx'
import { useText } from '#words/use-text.tsx'
import { endpointOf, FlowState, isAssistant, type ListedFlow } from './parts/flow-state.tsx'
import { text } from './parts/text.ts'
import { useRemoveFlow } from './parts/use-flow-actions.ts'
import { useFormat } from '#parts/value/use-format.ts'
import { Dialog } from '#parts/modal/dialog.tsx'
import { Icon, type IconName } from '#parts/icon/icon.tsx'
import classes from './new-flow.module.css'
import { PromptFlow } from './prompt-flow.tsx'
import { LanguagePicker } from '../../lazy-parts/speech/language-picker.tsx'
import { FormModal } from '#parts/form/form-modal.tsx'
import { SecretModal } from '#parts/dialog/secret-modal.tsx'
import { useForm } from '#parts/form/use-form.ts'

/** All flows of the account. */
export const FlowsPage = () => {
  const say = useText(text)
  const may = useMay()
  const flows = useRead('listFlows', undefined, { every: 10_000 })
  const [creating, setCreating] = useState(false)
  const create = may('CAN_CHANGE_FLOWS') ? <AddButton onClick={() => setCreating(true)}>{say.create}</AddButton> : undefined
  return (
    <Page title={say.title} description={say.about} actions={create}>
      <Section flush>
        <Loaded query={flows}>{({ items }) => <FlowTable flows={items} create={create} />}</Loaded>
      </Section>
      {creating && <NewFlow onClose={() => setCreating(false)} />}
    </Page>
  )
}

/** The page used most often. */
const pathOf = (flow: ListedFlow): string => `/flows/${flow.id}${isAssistant(flow) ? '/assistant' : ''}`

const FlowTable = ({ flows, create }: { flows: readonly ListedFlow[]; create: React.ReactNode }) => {
  const say = useText(text)
  const columns: Column<ListedFlow>[] = [
    { key: 'name', header: say.name, cell: ({ name }) => name },
    { key: 'state', header: say.state, cell: (flow) => <FlowState flow={flow} /> },
    { key: 'numbers', header: say.numbers, cell: ({ id }) => <LedNumbers flowId={id} /> },
    {
      key: 'endpoint',
      header: say.endpoint,
      value: (flow) => endpointOf(flow, say),
      cell: (flow) => (
        <Text size="sm" c="dimmed" truncate maw={320}>
          {endpointOf(flow, say)}
        </Text>
      ),
    },
  ]
  const empty = (
    <EmptyState icon="flow" title={say.emptyTitle} action={create}>
      {say.empty}
    </EmptyState>
  )
  return (
    <List
      label={say.title}
      rows={flows}
      columns={columns}
      rowKey={({ id }) => id}
      rowTo={pathOf}
      rowActions={(flow) => <FlowMenu flow={flow} />}
      empty={empty}
    />
  )
}

const FlowMenu = ({ flow }: { flow: ListedFlow }) => {
  const say = useText(text)
  const [, go] = useLocation()
  const remove = useRemoveFlow()
  const actions = [
    { label: say.talk, icon: 'microphone', onClick: () => go(`/talk/${flow.id}`) },
    ...(isAssistant(flow)
      ? ([{ label: say.results, icon: 'list', onClick: () => go(`/flows/${flow.id}/results`) }] as const)
      : ([
          { label: say.test, icon: 'bolt', onClick: () => go(`/flows/${flow.id}/test`) },
          { label: say.log, icon: 'list', onClick: () => go(`/flows/${flow.id}/deliveries`) },
        ] as const)),
    ...(remove ? [{ label: say.remove, icon: 'trash', onClick: () => void remove(flow), danger: true } as const] : []),
  ] as const
  return <RowMenu label={say.actionsFor(flow.name)} actions={actions} />
}

/** Numbers routed to the flow. */
export const useLedNumbers = (flowId: string) => {
  const numbers = useRead('listNumbers')
  return numbers.data?.items.filter(({ endpointId }) => endpointId === flowId) ?? []
}

export const LedNumbers = ({ flowId }: { flowId: string }) => {
  const format = useFormat()
  const numbers = useLedNumbers(flowId)
  if (numbers.length === 0)
    return (
      <Text span c="dimmed">
        –
      </Text>
    )
  return numbers.map(({ number }) => (
    <Text key={number} size="sm" style={{ whiteSpace: 'nowrap' }}>
      {format.phone(number)}
    </Text>
  ))
}

/** First asks for the kind: a prompt written here, or a custom program. */
export const NewFlow = ({ onClose }: { onClose: () => void }) => {
  const say = useText(text)
  const [who, setWho] = useState<'prompt' | 'own'>()
  if (who === 'prompt') return <PromptFlow onClose={onClose} />
  if (who === 'own') return <OwnFlow onClose={onClose} />
  return (
    <Dialog onClose={onClose} title={say.create}>
      <Text size="sm" mb="sm">
        {say.who}
      </Text>
      <Stack gap="sm">
        <Choice icon="message" title={say.whoPrompt} hint={say.whoPromptHint} onClick={() => setWho('prompt')} />
        <Choice icon="code" title={say.whoOwn} hint={say.whoOwnHint} onClick={() => setWho('own')} />
      </Stack>
    </Dialog>
  )
}

const Choice = ({ icon, title, hint, onClick }: { icon: IconName; title: string; hint: string; onClick: () => void }) => (
  <UnstyledButton className={classes.choice} onClick={onClick}>
    <Icon name={icon} size={22} />
    <span>
      <span className={classes.title}>{title}</span>
      <span className={classes.hint}>{hint}</span>
    </span>
  </UnstyledButton>
)

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

/** A flow with a customer's endpoint. Asks for the required fields, shows its secret, then opens it. */
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
