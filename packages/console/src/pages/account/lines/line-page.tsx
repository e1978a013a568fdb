import { useParams, Link, useLocation } from 'wouter'
import { useMay } from '#api/use-may.ts'
import { useRead, useWrite, type OutputOf } from '#api/use-service.ts'
import { ErrorNotice } from '#parts/form/error-notice.tsx'
import { WaitingRows, Loaded } from '#parts/page/loaded.tsx'
import { Page } from '#parts/page/page.tsx'
import { RoutingSection } from '#lazy-parts/routing/routing-section.tsx'
import { useText } from '#words/use-text.tsx'
import { VoicemailSection } from '../voicemail/voicemail-section.tsx'
import { Forwardings } from './forwardings.tsx'
import type { LineId } from './parallel-forwardings.tsx'
import { ParallelForwardings } from './parallel-forwardings.tsx'
import { text } from './text.ts'
import { Button, Group, Stack, Select, Switch, Anchor, Text } from '@mantine/core'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Section } from '#parts/page/section.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { DeviceTicks, type TickedDevice } from '../parts/device-ticks.tsx'
import { text as accountText } from '../parts/text.ts'
import { text as partsText } from '#parts/text.ts'
import { useForm } from '#parts/form/use-form.ts'
import { LogTable } from '#pages/notices/notices-page.tsx'
import { CallAddresses } from '../parts/call-addresses.tsx'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import { Icon } from '#parts/icon/icon.tsx'
import { PhoneNumber } from '#parts/value/values.tsx'
import { SavedText } from '../parts/saved-text.tsx'

export const LinePage = () => {
  const say = useText(text)
  const { userId, phonelineId } = useParams<{ userId: string; phonelineId: string }>()
  const line = useRead('getPhoneline', { userId, phonelineId })
  const back = { to: `/lines?user=${userId}`, label: say.back }
  if (line.data) return <LineContent id={{ userId, phonelineId }} line={line.data} back={back} />
  return (
    <Page title={say.line} back={back}>
      {line.isError ? <ErrorNotice error={line.error} /> : <WaitingRows />}
    </Page>
  )
}

const LineContent = ({ id, line, back }: { id: LineId; line: Line; back: { to: string; label: string } }) => {
  const may = useMay()
  const mayChange = may('CAN_CHANGE_PHONELINES')
  const voicemails = useRead('listPhonelineVoicemails', { ...id }, { when: may('CAN_GET_VOICEMAILS') }).data?.items ?? []
  return (
    <Page
      title={line.alias}
      back={back}
      width="narrow"
      actions={may('CAN_DELETE_PHONELINES') && <DeleteLine id={id} line={line} back={back.to} />}
    >
      {mayChange && <LineName key={line.alias} id={id} line={line} />}
      <LineNumbers id={id} />
      <LineDevices line={id} mayChange={mayChange} />
      <ParallelForwardings line={id} mayChange={mayChange} />
      <Forwardings line={id} mayChange={mayChange} />
      <RoutingSection target={id.phonelineId} mayChange={mayChange} />
      <LineCallers line={id} mayChange={mayChange} />
      {voicemails.map((voicemail) => (
        <VoicemailSection key={voicemail.id} voicemailId={voicemail.id} mayChange={may('CAN_CHANGE_VOICEMAILS')} />
      ))}
      {may('CAN_USE_PHONELINE_SVCIO') && <LineNotices line={id} mayChange={mayChange} />}
    </Page>
  )
}

/** A checkbox per device: whether it rings. Devices of colleagues are listed only if they already ring. */
export const LineDevices = ({ line, mayChange }: { line: LineId; mayChange: boolean }) => {
  const say = useText(text)
  const attached = useRead('listPhonelineDevices', { ...line })
  const own = useRead('listUserDevices', { userId: line.userId }).data?.items ?? []
  return (
    <Section title={say.devicesTitle} description={say.devicesHint}>
      <Loaded query={attached}>
        {({ items }) => {
          const others = items.filter(({ id }) => !own.some((device) => device.id === id))
          return <Ticks line={line} devices={[...own, ...others]} ringing={new Set(items.map(({ id }) => id))} mayChange={mayChange} />
        }}
      </Loaded>
    </Section>
  )
}

interface TicksProps {
  line: LineId
  devices: readonly TickedDevice[]
  ringing: ReadonlySet<string>
  mayChange: boolean
}

const Ticks = ({ line, devices, ringing, mayChange }: TicksProps) => {
  const { saved } = useText(accountText)
  const toast = useToast()
  const done = { refreshes: ['listPhonelineDevices', 'listUserDevices', 'getDevice'], onDone: () => toast.done(saved) } as const
  const add = useWrite('addPhonelineDevice', done)
  const remove = useWrite('removePhonelineDevice', done)
  const failed = { onError: (error: unknown) => toast.failed(error) }
  const change = (deviceId: string, rings: boolean): void =>
    rings ? add.mutate([{ ...line }, { deviceId }], failed) : remove.mutate([{ ...line, deviceId }], failed)
  if (devices.length === 0) return <NoDevices userId={line.userId} />
  return <DeviceTicks devices={devices} ticked={ringing} disabled={!mayChange || add.isPending || remove.isPending} onTick={change} />
}

const NoDevices = ({ userId }: { userId: string }) => {
  const say = useText(text)
  const link = (
    <Button component={Link} href={`/devices?user=${userId}`} variant="light">
      {say.toDevices}
    </Button>
  )
  return (
    <EmptyState icon="device" title={say.noDevices} action={link}>
      {say.noDevicesHint}
    </EmptyState>
  )
}

type Addresses = OutputOf<'getPhonelineSvcio'>

/** Webhooks for calls of this line, notified before the account's. */
export const LineNotices = ({ line, mayChange }: { line: LineId; mayChange: boolean }) => {
  const say = useText(text)
  const addresses = useRead('getPhonelineSvcio', { ...line })
  const notified = addresses.data !== undefined && `${addresses.data.incomingUrl}${addresses.data.outgoingUrl}` !== ''
  return (
    <>
      <Section title={say.notices} description={say.noticesHint}>
        <Loaded query={addresses}>
          {(now) => <AddressForm key={JSON.stringify(now)} line={line} addresses={now} mayChange={mayChange} />}
        </Loaded>
      </Section>
      {notified && <LineLog line={line} />}
    </>
  )
}

const AddressForm = ({ line, addresses, mayChange }: { line: LineId; addresses: Addresses; mayChange: boolean }) => {
  const say = useText(text)
  const { saved } = useText(accountText)
  const { save } = useText(partsText)
  const toast = useToast()
  const change = useWrite('setPhonelineSvcio', { refreshes: ['getPhonelineSvcio'], onDone: () => toast.done(saved) })
  const form = useForm(addresses, change.error)
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        change.mutate([{ ...line }, form.values])
      }}
    >
      <Stack maw={520}>
        <CallAddresses incoming={form.text('incomingUrl')} outgoing={form.text('outgoingUrl')} whenEmpty={say.noticesWhenEmpty} />
        <ErrorNotice error={change.error} />
        {mayChange && form.changed && (
          <Group>
            <Button type="submit" loading={change.isPending}>
              {save}
            </Button>
          </Group>
        )}
      </Stack>
    </form>
  )
}

const LineLog = ({ line }: { line: LineId }) => {
  const say = useText(text)
  const log = useRead('listPhonelineSvcioLog', { ...line }, { every: 5_000 })
  return (
    <Section title={say.noticesLog} flush>
      <Loaded query={log}>{({ items }) => <LogTable entries={items} />}</Loaded>
    </Section>
  )
}

const targets = ['REJECT', 'VOICEMAIL'] as const

/** Caller filter of a line. */
export const LineCallers = ({ line, mayChange }: { line: LineId; mayChange: boolean }) => {
  const say = useText(text)
  return (
    <Section title={say.callers}>
      <Stack gap="lg" maw={520}>
        <BlockAnonymous line={line} mayChange={mayChange} />
        <BusyOnBusy line={line} mayChange={mayChange} />
      </Stack>
    </Section>
  )
}

const BlockAnonymous = ({ line, mayChange }: { line: LineId; mayChange: boolean }) => {
  const say = useText(text)
  const { saved } = useText(accountText)
  const toast = useToast()
  const { data } = useRead('getBlockAnonymous', { ...line })
  const set = useWrite('setBlockAnonymous', { refreshes: ['getBlockAnonymous'], onDone: () => toast.done(saved) })
  const off = !data || !mayChange || set.isPending
  const failed = { onError: (error: unknown) => toast.failed(error) }
  const chooseTarget = (chosen: string | null): void => {
    const target = targets.find((one) => one === chosen)
    if (target) set.mutate([{ ...line }, { enabled: true, target }], failed)
  }
  return (
    <>
      <Switch
        label={say.blockAnonymous}
        checked={data?.enabled ?? false}
        disabled={off}
        onChange={(event) => set.mutate([{ ...line }, { enabled: event.currentTarget.checked }], failed)}
      />
      {data?.enabled === true && (
        <Select
          label={say.blockTarget}
          data={targets.map((target) => ({ value: target, label: say.blockTargets[target] }))}
          value={data.target}
          onChange={chooseTarget}
          allowDeselect={false}
          disabled={off}
        />
      )}
    </>
  )
}

const BusyOnBusy = ({ line, mayChange }: { line: LineId; mayChange: boolean }) => {
  const say = useText(text)
  const { saved } = useText(accountText)
  const toast = useToast()
  const { data } = useRead('getBusyOnBusy', { ...line })
  const set = useWrite('setBusyOnBusy', { refreshes: ['getBusyOnBusy'], onDone: () => toast.done(saved) })
  return (
    <Switch
      label={say.busyOnBusy}
      description={say.busyOnBusyHint}
      checked={data?.enabled ?? false}
      disabled={!data || !mayChange || set.isPending}
      onChange={(event) => set.mutate([{ ...line }, { enabled: event.currentTarget.checked }], { onError: (error) => toast.failed(error) })}
    />
  )
}

export type Line = OutputOf<'getPhoneline'>

export const LineName = ({ id, line }: { id: LineId; line: Line }) => {
  const say = useText(text)
  const { saved } = useText(accountText)
  const toast = useToast()
  const rename = useWrite('changePhoneline', {
    refreshes: ['getPhoneline', 'listPhonelines', 'listNumbers'],
    onDone: () => toast.done(saved),
  })
  return (
    <Section>
      <SavedText
        label={say.name}
        maxLength={100}
        value={line.alias}
        onSave={(alias) => rename.mutate([{ ...id }, { alias }])}
        pending={rename.isPending}
        problem={rename.error}
      />
    </Section>
  )
}

export const LineNumbers = ({ id }: { id: LineId }) => {
  const say = useText(text)
  const numbers = useRead('listPhonelineNumbers', { ...id }).data?.items
  const change = (
    <Anchor component={Link} href="/numbers" size="sm">
      {say.toNumbers}
    </Anchor>
  )
  return (
    <Section title={say.numbersTitle} description={say.numbersHint} actions={change}>
      {numbers?.length === 0 ? (
        <Text size="sm">{say.noNumbers}</Text>
      ) : (
        <Stack gap="xs">
          {numbers?.map(({ id: numberId, number }) => (
            <Group key={numberId} gap="xs">
              <Icon name="hash" size={16} />
              <PhoneNumber number={number} />
            </Group>
          ))}
        </Stack>
      )}
    </Section>
  )
}

export const DeleteLine = ({ id, line: { alias }, back }: { id: LineId; line: Line; back: string }) => {
  const say = useText(text)
  const { deleted } = useText(accountText)
  const toast = useToast()
  const confirm = useConfirm()
  const [, go] = useLocation()
  const remove = useWrite('deletePhoneline', {
    refreshes: ['listPhonelines', 'listUserDevices'],
    onDone: () => {
      toast.done(deleted)
      go(back)
    },
  })
  const ask = async (): Promise<void> => {
    if (await confirm({ title: say.deleteTitle(alias), body: say.deleteBody, confirm: say.delete }))
      remove.mutate([{ ...id }], { onError: (error) => toast.failed(error) })
  }
  return (
    <Button variant="default" leftSection={<Icon name="trash" size={16} />} loading={remove.isPending} onClick={() => void ask()}>
      {say.delete}
    </Button>
  )
}
