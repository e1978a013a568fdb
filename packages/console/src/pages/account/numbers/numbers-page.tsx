import { Button, Stack, Text, Select, Group } from '@mantine/core'
import { useState } from 'react'
import { Link } from 'wouter'
import { useMay } from '#api/use-may.ts'
import { useRead, useWrite, type OutputOf } from '#api/use-service.ts'
import { List } from '#parts/list/list.tsx'
import { AddButton } from '#parts/page/add-button.tsx'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Loaded } from '#parts/page/loaded.tsx'
import { Page } from '#parts/page/page.tsx'
import { Section } from '#parts/page/section.tsx'
import { RoutingModal } from '#lazy-parts/routing/routing-section.tsx'
import { useText } from '#words/use-text.tsx'
import { OrderNumber } from './order-number.tsx'
import { orderText } from './order-text.ts'
import { text } from './text.ts'
import type { Column } from '#parts/list/columns.ts'
import { StatusBadge, type Tone } from '#parts/value/status-badge.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { PhoneNumber } from '#parts/value/values.tsx'
import { EndpointLabel } from '../parts/endpoint-label.tsx'
import { text as accountText } from '../parts/text.ts'
import type { RecordingRule } from '@offhook/contract/v1/settings/recording-rule.ts'
import { useToast } from '#parts/dialog/toast.tsx'
import { FormModal } from '#parts/form/form-modal.tsx'
import { fieldProblem, useForm } from '#parts/form/use-form.ts'
import { recordingRules, text as ruleText } from '#lazy-parts/recording-rule-text.ts'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import { RowMenu, type MenuAction } from '#parts/table/row-menu.tsx'
import { text as routingText } from '#lazy-parts/routing/text.ts'
import { endpointKinds } from '../parts/endpoints.ts'
import { TargetPicker } from '../parts/target-picker.tsx'
import { useTarget } from '../parts/target-picker.tsx'

export const NumbersPage = () => {
  const say = useText(text)
  const may = useMay()
  const numbers = useRead('listNumbers')
  const columns = useNumberColumns()
  const [changing, setChanging] = useState<PhoneNumberRow>()
  const [timing, setTiming] = useState<PhoneNumberRow>()
  const [recording, setRecording] = useState<PhoneNumberRow>()
  const actionsFor = useNumberActions({
    onRoute: setChanging,
    onHours: setTiming,
    ...(may('CAN_MANAGE_PRIVACY') && { onRecording: setRecording }),
  })
  const [ordering, setOrdering] = useState(false)
  const { title: orderTitle } = useText(orderText)
  const order = may('CAN_ORDER_NUMBERS') && <AddButton onClick={() => setOrdering(true)}>{orderTitle}</AddButton>
  const all = numbers.data?.items.filter(({ type }) => type !== 'QUICKDIAL') ?? []
  return (
    <Page title={say.title} description={say.lead} actions={order}>
      <Section flush>
        <Loaded query={numbers}>
          {() => (
            <List
              label={say.title}
              rows={all}
              columns={columns}
              rowKey={({ id }) => id}
              {...(may('CAN_CHANGE_NUMBERS') && { rowActions: actionsFor })}
              search={say.find}
              empty={<NoNumbers />}
            />
          )}
        </Loaded>
      </Section>
      {ordering && <OrderNumber onClose={() => setOrdering(false)} />}
      {timing && <RoutingModal key={timing.id} number={timing} onClose={() => setTiming(undefined)} />}
      {recording && <NumberRecordingForm key={recording.id} number={recording} onClose={() => setRecording(undefined)} />}
      {changing && <RouteForm key={changing.id} number={changing} onClose={() => setChanging(undefined)} />}
    </Page>
  )
}

const NoNumbers = () => {
  const say = useText(text)
  const may = useMay()
  const bring = may('CAN_CREATE_PORTINGS')
  return (
    <EmptyState
      icon="hash"
      title={say.empty}
      {...(bring && {
        action: (
          <Button component={Link} href="/portings">
            {say.toPortings}
          </Button>
        ),
      })}
    >
      {bring ? say.emptyAdmin : say.emptyUser}
    </EmptyState>
  )
}

const tones: Readonly<Record<PhoneNumberRow['state'], Tone>> = {
  ACTIVE: 'good',
  ADDRESS_PENDING: 'warning',
  DEACTIVATED: 'bad',
  PORTING_IN: 'busy',
  PORTED_OUT: 'quiet',
}

export const useNumberColumns = (): Column<PhoneNumberRow>[] => {
  const say = useText(text)
  const { leadsTo } = useText(accountText)
  const { day } = useFormat()
  return [
    {
      key: 'number',
      header: say.number,
      value: ({ number }) => number,
      cell: ({ number, mnpState }) => (
        <Stack gap={0}>
          <PhoneNumber number={number} />
          {mnpState?.isReleased === true && mnpState.releasedUntil !== null && (
            <Text size="xs" c="dimmed">
              {say.released(day(mnpState.releasedUntil))}
            </Text>
          )}
        </Stack>
      ),
    },
    { key: 'leadsTo', header: leadsTo, value: ({ endpointAlias }) => endpointAlias, cell: (number) => <EndpointLabel routed={number} /> },
    { key: 'type', header: say.type, cell: ({ type }) => say.types[type], wideOnly: true },
    {
      key: 'state',
      header: say.state,
      value: ({ state }) => say.states[state],
      cell: ({ state }) => <StatusBadge tone={tones[state]}>{say.states[state]}</StatusBadge>,
    },
  ]
}

interface NumberRecordingProps {
  number: PhoneNumberRow
  onClose: () => void
}

/** Recording rule of calls with this number, overriding the account's. */
export const NumberRecordingForm = ({ number, onClose }: NumberRecordingProps) => {
  const now = useRead('getNumberRecordingRule', { numberId: number.id })
  return now.data ? <RuleForm number={number} now={now.data} onClose={onClose} /> : null
}

const ofAccount = 'account'

const RuleForm = ({ number, now, onClose }: NumberRecordingProps & { now: OutputOf<'getNumberRecordingRule'> }) => {
  const say = useText(text)
  const { title, rules, hints } = useText(ruleText)
  const { saved } = useText(accountText)
  const toast = useToast()
  const change = useWrite('setNumberRecordingRule', {
    refreshes: ['getNumberRecordingRule', 'getRecordingRule'],
    onDone: () => {
      toast.done(saved)
      onClose()
    },
  })
  const form = useForm<{ rule: RecordingRule | typeof ofAccount }>({ rule: now.rule ?? ofAccount }, change.error)
  const { rule } = form.values
  return (
    <FormModal
      opened
      title={title}
      onClose={onClose}
      onSubmit={() => change.mutate([{ numberId: number.id }, { rule: rule === ofAccount ? null : rule }])}
      pending={change.isPending}
      error={change.error}
    >
      <Select
        label={title}
        description={rule === ofAccount ? say.accountsRule : hints[rule]}
        data={[{ value: ofAccount, label: say.likeAccount }, ...recordingRules.map((one) => ({ value: one, label: rules[one] }))]}
        allowDeselect={false}
        {...form.value('rule')}
        error={fieldProblem(change.error, 'rule')}
      />
    </FormModal>
  )
}

const routable = ({ state }: PhoneNumberRow): boolean => state === 'ACTIVE' || state === 'ADDRESS_PENDING'

interface NumberForms {
  onRoute: (number: PhoneNumberRow) => void
  onHours: (number: PhoneNumberRow) => void
  /** Undefined: the user may not change recording rules. */
  onRecording?: (number: PhoneNumberRow) => void
}

export const useNumberActions = ({ onRoute, onHours, onRecording }: NumberForms) => {
  const say = useText(text)
  const { actionsFor } = useText(accountText)
  const { menu: whenClosed } = useText(routingText)
  const { title: recordingRule } = useText(ruleText)
  const toast = useToast()
  const confirm = useConfirm()
  const { phone } = useFormat()
  const change = useWrite('changeNumber', {
    refreshes: ['listNumbers'],
    onDone: (_, [, { releaseForMnp }]) => toast.done(releaseForMnp ? say.releasedDone : say.withdrawnDone),
  })
  const release = (id: string, releaseForMnp: boolean): void =>
    change.mutate([{ numberId: id }, { releaseForMnp }], { onError: (error) => toast.failed(error) })
  const askRelease = async ({ id, number }: PhoneNumberRow): Promise<void> => {
    const question = { title: say.releaseTitle(phone(number)), body: say.releaseBody, confirm: say.release }
    if (await confirm(question)) release(id, true)
  }
  const mnpAction = (number: PhoneNumberRow): MenuAction =>
    number.mnpState?.isReleased
      ? { label: say.withdraw, icon: 'lock', onClick: () => release(number.id, false) }
      : { label: say.release, icon: 'external', onClick: () => void askRelease(number) }
  const returnCredit = useGiveBack()
  const actionsOf = (number: PhoneNumberRow): MenuAction[] => [
    { label: whenClosed, icon: 'clock', onClick: () => onHours(number) },
    ...(onRecording ? [{ label: recordingRule, icon: 'record', onClick: () => onRecording(number) } as const] : []),
    ...(number.mnpState ? [mnpAction(number)] : []),
    returnCredit(number),
  ]
  return (number: PhoneNumberRow) => (
    <Group gap={4} justify="flex-end" wrap="nowrap">
      {routable(number) && (
        <Button size="xs" variant="default" onClick={() => onRoute(number)} aria-label={say.routeOf(phone(number.number))}>
          {say.route}
        </Button>
      )}
      <RowMenu label={actionsFor(phone(number.number))} actions={actionsOf(number)} />
    </Group>
  )
}

/** The service reports if the number is not from its stock. */
const useGiveBack = () => {
  const say = useText(orderText)
  const toast = useToast()
  const confirm = useConfirm()
  const { phone } = useFormat()
  const give = useWrite('returnNumber', { refreshes: ['listNumbers', 'listStock'], onDone: () => toast.done(say.givenBack) })
  const ask = async ({ id, number }: PhoneNumberRow): Promise<void> => {
    if (await confirm({ title: say.giveBackTitle(phone(number)), body: say.giveBackBody, confirm: say.giveBack }))
      give.mutate([{ numberId: id }], { onError: toast.failed })
  }
  return (number: PhoneNumberRow): MenuAction => ({ label: say.giveBack, icon: 'trash', onClick: () => void ask(number), danger: true })
}

export type PhoneNumberRow = OutputOf<'listNumbers'>['items'][number]

/** Chooses the destination of a number. */
export const RouteForm = ({ number, onClose }: { number: PhoneNumberRow; onClose: () => void }) => {
  const say = useText(text)
  const toast = useToast()
  const { phone } = useFormat()
  const target = useTarget(number)
  const change = useWrite('changeNumber', {
    refreshes: ['listNumbers', 'listUserNumbers', 'listPhonelineNumbers', 'listGroupNumbers', 'listInternalContacts'],
    onDone: () => {
      toast.done(say.routed)
      onClose()
    },
  })
  const kinds = endpointKinds.filter((kind) => kind !== 'sms' || number.type === 'MOBILE')
  const wanted = target.kind === undefined ? '' : target.endpointId
  return (
    <FormModal
      opened
      title={say.routeTitle(phone(number.number))}
      onClose={onClose}
      onSubmit={() => change.mutate([{ numberId: number.id }, { endpointId: wanted }])}
      disabled={target.kind !== undefined && wanted === ''}
      pending={change.isPending}
      error={change.error}
    >
      <TargetPicker target={target} kinds={kinds} nowhere error={fieldProblem(change.error, 'endpointId')} />
    </FormModal>
  )
}
