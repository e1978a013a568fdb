import { Alert, Button, MantineThemeProvider, Group, Stack, Text, NativeSelect } from '@mantine/core'
import { useLocation } from 'wouter'
import { useMay } from '#api/use-may.ts'
import { useLeaveGuard } from '#parts/leave/leave-guard.ts'
import { RoutingOf } from '#lazy-parts/routing/routing-section.tsx'
import { text as routingText } from '#lazy-parts/routing/text.ts'
import { useText } from '#words/use-text.tsx'
import { FlowFrame } from '../parts/flow-frame.tsx'
import { isAssistant, type Flow } from '../parts/flow-state.tsx'
import { text as listText } from '../parts/text.ts'
import { useRemoveFlow } from '../parts/use-flow-actions.ts'
import { EventsOffer } from './events-offer.tsx'
import { mayChooseEvents, withUsualEvents, formOf, type FlowForm } from './flow-form.ts'
import { Folded } from './folded.tsx'
import { groupNames, differences } from './groups.ts'
import { SectionLinks } from './section-links.tsx'
import { SettingsForm } from './settings-form.tsx'
import classes from './settings.module.css'
import { text } from './text.ts'
import { useFlowForm } from './use-flow-form.ts'
import { useOpenParts, type OpenParts } from './use-open-parts.ts'
import { useRead, useWrite, type OutputOf } from '#api/use-service.ts'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { Loaded } from '#parts/page/loaded.tsx'
import { Actor } from '#parts/value/actor.tsx'
import { Time, PhoneNumber } from '#parts/value/values.tsx'
import { useState } from 'react'
import { AddButton } from '#parts/page/add-button.tsx'
import { FormModal } from '#parts/form/form-modal.tsx'
import { Section } from '#parts/page/section.tsx'
import { useFormat } from '#parts/value/use-format.ts'

/** All settings of one flow. */
export const FlowPage = () => <FlowFrame tab="">{(flow) => <FlowSettings key={flow.id} flow={flow} />}</FlowFrame>

/** Hints below the fields, so that inputs are aligned. */
const hintsBelow = {
  components: { InputWrapper: { defaultProps: { inputWrapperOrder: ['label', 'input', 'description', 'error'] } } },
}

const lacksEndpoint = (flow: Flow): boolean => !isAssistant(flow) && flow.webhookUrl === undefined && flow.websocketUrl === undefined

const FlowSettings = ({ flow }: { flow: Flow }) => {
  const say = useText(text)
  const routing = useText(routingText)
  const may = useMay()('CAN_CHANGE_FLOWS')
  const editing = useFlowForm(flow)
  const { form, save } = editing
  const deps = useOpenParts({ endpoint: lacksEndpoint(flow) })
  useLeaveGuard(form.changed)
  const groups = groupNames.filter((group) => group !== 'events' || mayChooseEvents(form.values))
  /** Saves immediately without other changes; otherwise together with the unfinished rest. */
  const takeEvents = (): void => {
    const extended_events = withUsualEvents(form.values.extended_events)
    if (form.changed) form.set('extended_events', extended_events)
    else save({ ...form.values, extended_events })
  }
  const sections = [
    { id: 'basics', title: say.general },
    ...groups.map((id) => ({ id, title: say[id] })),
    { id: 'numbers', title: say.numbers },
    { id: 'hours', title: routing.title },
    ...(may ? [{ id: 'history', title: say.history }] : []),
  ]
  return (
    <>
      {may ? <EventsOffer flow={flow} onTake={takeEvents} /> : <Alert color="gray">{say.readOnly}</Alert>}
      <MantineThemeProvider theme={hintsBelow} inherit>
        <div className={classes.parts}>
          <SectionLinks sections={sections} onGo={deps.go} />
          <div className={classes.stack}>
            <SettingsForm flow={flow} may={may} editing={editing} groups={groups} deps={deps} />
            <div id="numbers">
              <FlowNumbers flow={flow} />
            </div>
            <HoursPart flow={flow} deps={deps} may={may} />
            {may && <HistoryPart flow={flow} deps={deps} />}
            <RemovePart flow={flow} deps={deps} />
          </div>
        </div>
      </MantineThemeProvider>
    </>
  )
}

interface PartProps {
  flow: Flow
  deps: OpenParts
}

const HoursPart = ({ flow, deps: { isOpen, toggle }, may }: PartProps & { may: boolean }) => {
  const say = useText(routingText)
  const open = isOpen('hours')
  return (
    <Folded id="hours" title={say.title} summary={say.hint} open={open} onToggle={(wanted) => toggle('hours', wanted)}>
      {open && <RoutingOf target={flow.id} ofFlow mayChange={may} />}
    </Folded>
  )
}

const HistoryPart = ({ flow, deps: { isOpen, toggle } }: PartProps) => {
  const say = useText(text)
  const open = isOpen('history')
  return (
    <Folded id="history" title={say.history} summary={say.historyHint} open={open} onToggle={(wanted) => toggle('history', wanted)}>
      {open && <HistorySection flow={flow} />}
    </Folded>
  )
}

const RemovePart = ({ flow, deps: { isOpen, toggle } }: PartProps) => {
  const say = useText(text)
  const { remove: label } = useText(listText)
  const [, go] = useLocation()
  const remove = useRemoveFlow(() => go('/flows'))
  if (!remove) return null
  return (
    <Folded id="remove" title={say.danger} summary={say.dangerHint} open={isOpen('remove')} onToggle={(wanted) => toggle('remove', wanted)}>
      <Button color="red" variant="light" onClick={() => void remove(flow)}>
        {label}
      </Button>
    </Folded>
  )
}

type Version = OutputOf<'listFlowVersions'>['items'][number]

const formOfVersion = (flow: Flow, { settings }: Version): FlowForm =>
  formOf({ ...settings, id: flow.id, apiKeySet: false, version: 0, speech: flow.speech })

/** Earlier settings and their authors; each can be restored. */
export const HistorySection = ({ flow }: { flow: Flow }) => {
  const say = useText(text)
  const versions = useRead('listFlowVersions', { aiFlowId: flow.id })
  const restore = useRestore(flow)
  return (
    <Loaded query={versions}>
      {({ items }) => (
        <Stack gap="sm">
          {items.length === 0 && <Text c="dimmed">{say.noHistory}</Text>}
          {items.map((version, index) => {
            const before = items[index + 1]
            const changed = before && differences(formOfVersion(flow, version), formOfVersion(flow, before), say)
            return (
              <Group key={version.version} justify="space-between" wrap="nowrap">
                <div>
                  <Text size="sm">
                    <Time at={version.at} /> ·{' '}
                    {version.author === undefined ? say.unknownAuthor : <Actor name={`user:${version.author}`} />}
                  </Text>
                  <Text size="sm" c="dimmed">
                    {changed ? changed.join(', ') : say.firstVersion}
                  </Text>
                </div>
                {version.version === flow.version ? (
                  <Text size="sm" c="dimmed">
                    {say.presentVersion}
                  </Text>
                ) : (
                  <Button size="xs" variant="default" onClick={() => void restore(version.version)}>
                    {say.restore}
                  </Button>
                )}
              </Group>
            )
          })}
        </Stack>
      )}
    </Loaded>
  )
}

const useRestore = (flow: Flow): ((version: number) => Promise<void>) => {
  const say = useText(text)
  const confirm = useConfirm()
  const toast = useToast()
  const restore = useWrite('restoreFlowVersion', { refreshes: ['getFlow', 'listFlows', 'listFlowVersions'] })
  return async (version) => {
    if (!(await confirm({ title: say.restoreTitle, body: say.restoreBody, confirm: say.restore, danger: false }))) return
    restore.mutate([{ aiFlowId: flow.id, version: `${version}` }], {
      onSuccess: ({ apiKeyRemoved }) => toast.done(apiKeyRemoved ? say.restoredWithoutKey : say.restored),
      onError: (error) => toast.failed(error),
    })
  }
}

type OwnNumber = OutputOf<'listNumbers'>['items'][number]

/** Numbers routed to the flow, and candidates. */
export const FlowNumbers = ({ flow }: { flow: Flow }) => {
  const say = useText(text)
  const may = useMay()('CAN_CHANGE_NUMBERS')
  const numbers = useRead('listNumbers')
  const [adding, setAdding] = useState(false)
  const add = may && (
    <AddButton variant="default" onClick={() => setAdding(true)}>
      {say.addNumber}
    </AddButton>
  )
  return (
    <Section title={say.numbers} description={say.numbersHint} actions={add}>
      <Loaded query={numbers}>
        {({ items }) => (
          <>
            <LedHere numbers={items.filter(({ endpointId }) => endpointId === flow.id)} may={may} />
            {adding && <LeadNumber flow={flow} numbers={items} onClose={() => setAdding(false)} />}
          </>
        )}
      </Loaded>
    </Section>
  )
}

const LedHere = ({ numbers, may }: { numbers: readonly OwnNumber[]; may: boolean }) => {
  const say = useText(text)
  const confirm = useConfirm()
  const toast = useToast()
  const format = useFormat()
  const change = useWrite('changeNumber', { refreshes: ['listNumbers'] })
  const unlead = async ({ id, number }: OwnNumber): Promise<void> => {
    const title = say.unleadTitle(format.phone(number))
    if (!(await confirm({ title, body: say.unleadBody, confirm: say.unlead, danger: true }))) return
    change.mutate([{ numberId: id }, { endpointId: null }], { onError: (error) => toast.failed(error) })
  }
  if (numbers.length === 0) return <Text c="dimmed">{say.noNumbers}</Text>
  return (
    <Stack gap="xs">
      {numbers.map((number) => (
        <Group key={number.id} justify="space-between">
          <PhoneNumber number={number.number} />
          {may && (
            <Button variant="subtle" color="gray" size="xs" onClick={() => void unlead(number)}>
              {say.unlead}
            </Button>
          )}
        </Group>
      ))}
    </Stack>
  )
}

interface LeadNumberProps {
  flow: Flow
  numbers: readonly OwnNumber[]
  onClose: () => void
}

const LeadNumber = ({ flow, numbers, onClose }: LeadNumberProps) => {
  const say = useText(text)
  const format = useFormat()
  const free = numbers.filter(({ type, state, endpointId }) => type !== 'QUICKDIAL' && state === 'ACTIVE' && endpointId !== flow.id)
  const [chosen, setChosen] = useState(free[0]?.id ?? '')
  const change = useWrite('changeNumber', { refreshes: ['listNumbers'], onDone: onClose })
  const label = ({ number, endpointAlias }: OwnNumber): string =>
    endpointAlias === '' ? format.phone(number) : `${format.phone(number)} (${say.nowWith(endpointAlias)})`
  return (
    <FormModal
      opened
      title={say.addNumber}
      submit={say.lead}
      onClose={onClose}
      onSubmit={() => (chosen === '' ? onClose() : change.mutate([{ numberId: chosen }, { endpointId: flow.id }]))}
      pending={change.isPending}
      error={change.error}
    >
      {free.length === 0 ? (
        <Text>{say.allLed}</Text>
      ) : (
        <NativeSelect
          label={say.choose}
          data={free.map((number) => ({ value: number.id, label: label(number) }))}
          value={chosen}
          onChange={(event) => setChosen(event.currentTarget.value)}
        />
      )}
    </FormModal>
  )
}
