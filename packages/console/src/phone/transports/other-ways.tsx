import { Alert, Select, TagsInput, Text } from '@mantine/core'
import { useState } from 'react'
import { useLocation } from 'wouter'
import type { Party } from '#api/phone/calls.ts'
import type { OtherWay } from '#api/phone/phone-line.ts'
import { useMay } from '#api/use-may.ts'
import { useMe } from '#api/use-me.ts'
import { useRead, useWrite, type OutputOf } from '#api/use-service.ts'
import { useToast } from '#parts/dialog/toast.tsx'
import { FormModal } from '#parts/form/form-modal.tsx'
import { variableLines, variablesOf } from '#parts/form/variables.ts'
import { useFormat } from '#parts/value/use-format.ts'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'

interface WayProps {
  party: Party
  onClose: () => void
}

/** Calls with another device than this page. */
export const OtherWays = ({ way, ...rest }: WayProps & { way: OtherWay }) =>
  way === 'desk' ? <WithDeskPhone {...rest} /> : <ByAssistant {...rest} />

type Device = OutputOf<'listUserDevices'>['items'][number]

/** The person's devices except this browser. Connected ones come first. */
const useOwnDevices = (): readonly Device[] | undefined => {
  const userId = useMe()?.id
  const { data } = useRead('listUserDevices', { userId: userId ?? '' }, { when: userId !== undefined })
  return data?.items.filter(({ type }) => type !== 'BROWSER').toSorted((one, other) => Number(other.online) - Number(one.online))
}

const useWho = ({ name, number = '' }: Party): string => {
  const { phone } = useFormat()
  return name ?? phone(number)
}

const WithDeskPhone = ({ party, onClose }: WayProps) => {
  const say = useText(text)
  const toast = useToast()
  const devices = useOwnDevices()
  const [chosen, setChosen] = useState<string>()
  const caller = chosen ?? devices?.[0]?.id
  const start = useWrite('startCall', {
    refreshes: ['listCalls'],
    onDone: () => {
      toast.done(say.ringsNow)
      onClose()
    },
  })
  return (
    <FormModal
      opened
      title={say.deskTitle(useWho(party))}
      submit={say.call}
      onClose={onClose}
      onSubmit={() => caller !== undefined && start.mutate([{}, { caller, callee: party.number ?? '' }])}
      disabled={caller === undefined}
      pending={start.isPending}
      error={start.error}
    >
      <Text size="sm">{say.deskLead}</Text>
      {devices?.length === 0 ? (
        <Alert color="yellow">{say.noDevice}</Alert>
      ) : (
        <Select
          label={say.device}
          data={(devices ?? []).map(({ id, alias, online }) => ({ value: id, label: online ? alias : `${alias} (${say.offline})` }))}
          value={caller ?? null}
          onChange={(id) => id !== null && setChosen(id)}
          allowDeselect={false}
        />
      )}
    </FormModal>
  )
}

const ByAssistant = ({ party, onClose }: WayProps) => {
  const say = useText(text)
  const toast = useToast()
  const [, go] = useLocation()
  const isReviewed = useMay()('CAN_USE_FLOW_OUTBOUND')
  const flows = useRead('listFlows').data?.items
  const devices = useOwnDevices()
  const [flowId, setFlow] = useState<string>()
  const [deviceId, setDevice] = useState<string>()
  const [lines, setLines] = useState<string[]>()
  const aiFlowId = flowId ?? flows?.[0]?.id
  const billingDevice = deviceId ?? devices?.[0]?.id
  const call = useWrite('callFlow', {
    refreshes: ['listCalls'],
    onDone: ({ sessionId }) => {
      toast.done(say.calling)
      onClose()
      go(`/calls/${sessionId}`)
    },
  })
  const submit = (): void => {
    if (aiFlowId === undefined || billingDevice === undefined) return
    const variables = lines && variablesOf(lines)
    call.mutate([{ aiFlowId }, { billingDevice, toPhoneNumber: (party.number ?? '').replace(/^\+/, ''), ...(variables && { variables }) }])
  }
  return (
    <FormModal
      opened
      title={say.assistantTitle(useWho(party))}
      submit={say.call}
      onClose={onClose}
      onSubmit={submit}
      disabled={!isReviewed || aiFlowId === undefined || billingDevice === undefined}
      pending={call.isPending}
      error={call.error}
    >
      <Text size="sm">{say.assistantLead}</Text>
      <Alert color={isReviewed ? 'pine' : 'yellow'}>{isReviewed ? say.reviewed : say.notReviewed}</Alert>
      {flows?.length === 0 && <Alert color="yellow">{say.noFlow}</Alert>}
      <Choice label={say.flow} items={flows?.map(({ id, name }) => [id, name])} value={aiFlowId} onChange={setFlow} />
      <Choice label={say.pays} items={devices?.map(({ id, alias }) => [id, alias])} value={billingDevice} onChange={setDevice} />
      <TagsInput
        label={say.variables}
        description={say.variablesHint}
        splitChars={[]}
        maxTags={200}
        value={lines ?? variableLines(flows?.find(({ id }) => id === aiFlowId)?.variables)}
        onChange={setLines}
      />
    </FormModal>
  )
}

interface ChoiceProps {
  label: string
  items: readonly (readonly [id: string, name: string])[] | undefined
  value: string | undefined
  onChange: (id: string) => void
}

const Choice = ({ label, items = [], value, onChange }: ChoiceProps) => (
  <Select
    label={label}
    data={items.map(([id, name]) => ({ value: id, label: name }))}
    value={value ?? null}
    onChange={(id) => id !== null && onChange(id)}
    allowDeselect={false}
    searchable={items.length > 8}
  />
)
