import { Button, Group, Text, Alert, Anchor, Select, Stack, Switch } from '@mantine/core'
import { Link, useLocation, useParams } from 'wouter'
import { useMay } from '#api/use-may.ts'
import { useRead, useWrite, type OperationId } from '#api/use-service.ts'
import { ErrorNotice } from '#parts/form/error-notice.tsx'
import { Icon } from '#parts/icon/icon.tsx'
import { WaitingRows } from '#parts/page/loaded.tsx'
import { Page } from '#parts/page/page.tsx'
import { Section } from '#parts/page/section.tsx'
import { useText } from '#words/use-text.tsx'
import { text as accountText } from '../parts/text.ts'
import { Credentials } from './credentials.tsx'
import { DeviceState, type Device, type ExternalDevice } from './devices-page.tsx'
import { useDeleteDevice } from './devices-page.tsx'
import { text } from './text.ts'
import { useFormat } from '#parts/value/use-format.ts'
import { useToast } from '#parts/dialog/toast.tsx'
import { onOneLine } from '../addresses/addresses-page.tsx'
import { SavedText } from '../parts/saved-text.tsx'
import { useProblem } from '../parts/saved-text.tsx'

export const DevicePage = () => {
  const say = useText(text)
  const { deviceId } = useParams<{ deviceId: string }>()
  const device = useRead('getDevice', { deviceId }, { every: 3_000 })
  const back = { to: '/devices', label: say.back }
  if (device.data) return <DeviceContent device={device.data} back={back} />
  return (
    <Page title={say.device} back={back}>
      {device.isError ? <ErrorNotice error={device.error} /> : <WaitingRows />}
    </Page>
  )
}

const DeviceContent = ({ device, back }: { device: Device; back: { to: string; label: string } }) => {
  const say = useText(text)
  const { deviceTypes } = useText(accountText)
  const may = useMay()
  const [, go] = useLocation()
  const remove = useDeleteDevice(() => go('/devices'))
  const description = (
    <Group gap="sm">
      <Text span inherit>
        {deviceTypes[device.type]}
      </Text>
      <DeviceState device={device} />
    </Group>
  )
  const removal = may('CAN_DELETE_DEVICES') && (
    <Button variant="default" leftSection={<Icon name="trash" size={16} />} onClick={() => void remove(device)}>
      {say.deleteConfirm}
    </Button>
  )
  return (
    <Page title={device.alias} description={description} back={back} actions={removal} width="narrow">
      {device.type === 'REGISTER' && <DeviceSound deviceId={device.id} />}
      {device.type === 'REGISTER' && <Credentials device={device} />}
      {device.type === 'MOBILE' && <SimHint />}
      {may('CAN_CHANGE_DEVICES') && <DeviceSettings device={device} />}
    </Page>
  )
}

const SimHint = () => {
  const say = useText(text)
  return (
    <Section title={say.sims} description={say.simsHint}>
      <Button component={Link} href="/sims" variant="light">
        {say.toSims}
      </Button>
    </Section>
  )
}

/** Recent one-way audio of a device, and its probable causes. */
export const DeviceSound = ({ deviceId }: { deviceId: string }) => {
  const say = useText(text)
  const format = useFormat()
  const { data } = useRead('getDeviceSound', { deviceId })
  const trouble = data?.trouble
  if (!trouble) return null
  return (
    <Alert color="yellow" icon={<Icon name="alert" />} title={say.soundTrouble(format.moment(trouble.at))}>
      {say.soundTroubles[trouble.state]}{' '}
      <Anchor component={Link} href={`/calls/${trouble.callId}`} inherit>
        {say.toCall}
      </Anchor>
    </Alert>
  )
}

const refreshes: readonly OperationId[] = ['getDevice', 'listUserDevices', 'listPhonelineDevices']

/** Settings of a device; each is saved separately. */
export const DeviceSettings = ({ device }: { device: Device }) => {
  const say = useText(text)
  const { saved } = useText(accountText)
  const toast = useToast()
  const may = useMay()
  const rename = useWrite('setDeviceAlias', { refreshes, onDone: () => toast.done(saved) })
  const change = useWrite('changeDevice', { refreshes, onDone: () => toast.done(saved) })
  const deviceId = device.id
  const setDnd = (dnd: boolean): void => change.mutate([{ deviceId }, { dnd }], { onError: (error) => toast.failed(error) })
  return (
    <Section title={say.settings}>
      <Stack gap="lg" maw={520}>
        <SavedText
          key={device.alias}
          label={say.name}
          maxLength={100}
          value={device.alias}
          onSave={(value) => rename.mutate([{ deviceId }, { value }])}
          pending={rename.isPending}
          problem={rename.error}
        />
        <Switch
          label={say.dnd}
          description={say.dndHint}
          checked={device.dnd}
          disabled={change.isPending}
          onChange={(event) => setDnd(event.currentTarget.checked)}
        />
        {device.type === 'EXTERNAL' && <ExternalSettings device={device} />}
        {may('CAN_GET_DEVICE_CALLERID') && <CallerId deviceId={deviceId} />}
        {may('CAN_GET_ADDRESSES') && <EmergencyAddress device={device} />}
        {device.type === 'REGISTER' && <DiallingSettings deviceId={deviceId} />}
      </Stack>
    </Section>
  )
}

const unspecified = 'none'

const EmergencyAddress = ({ device: { id: deviceId, emergencyAddressId } }: { device: Device }) => {
  const say = useText(text)
  const { saved } = useText(accountText)
  const toast = useToast()
  const addresses = useRead('listAddresses').data?.items ?? []
  const change = useWrite('changeDevice', { refreshes, onDone: () => toast.done(saved) })
  const choose = (id: string): void => change.mutate([{ deviceId }, { emergencyAddressId: id === unspecified ? null : Number(id) }])
  return (
    <Select
      label={say.emergency}
      description={say.emergencyHint}
      data={[
        { value: unspecified, label: say.noEmergency },
        ...addresses.map((address) => ({ value: address.id, label: onOneLine(address) })),
      ]}
      value={emergencyAddressId === undefined ? unspecified : String(emergencyAddressId)}
      onChange={(id) => id !== null && choose(id)}
      allowDeselect={false}
      disabled={change.isPending}
      error={useProblem(change.error)}
    />
  )
}

const usual = 'usual'
const anonymous = 'anonymous'

/** The number shown to callees. */
export const CallerId = ({ deviceId }: { deviceId: string }) => {
  const say = useText(text)
  const { saved } = useText(accountText)
  const toast = useToast()
  const may = useMay()
  const { phone } = useFormat()
  const shown = useRead('getDeviceCallerId', { deviceId }).data?.value
  const numbers = useRead('listNumbers').data?.items ?? []
  const choose = useWrite('setDeviceCallerId', { refreshes: ['getDeviceCallerId'], onDone: () => toast.done(saved) })
  const own = numbers.filter(({ type, state }) => type !== 'QUICKDIAL' && state === 'ACTIVE').map(({ number }) => number)
  // The current number may have been chosen by a user with access to more numbers.
  const known = shown === undefined || shown === anonymous || own.includes(shown) ? own : [shown, ...own]
  return (
    <Select
      label={say.callerId}
      description={say.callerIdHint}
      data={[
        ...known.map((number) => ({ value: number, label: phone(number) })),
        { value: anonymous, label: say.anonymous },
        { value: usual, label: say.usual },
      ]}
      value={shown ?? null}
      onChange={(value) => value !== null && choose.mutate([{ deviceId }, { value: value === usual ? '' : value }])}
      allowDeselect={false}
      disabled={shown === undefined || choose.isPending || !may('CAN_CHANGE_DEVICE_CALLERID')}
      error={useProblem(choose.error)}
    />
  )
}

const displays = ['CALLER_NUMBER', 'CALLED_NUMBER'] as const

/** Settings of phones at other providers. */
export const ExternalSettings = ({ device: { id: deviceId, number, incomingCallDisplayState } }: { device: ExternalDevice }) => {
  const say = useText(text)
  const { saved } = useText(accountText)
  const toast = useToast()
  const done = { refreshes: ['getDevice', 'listUserDevices'], onDone: () => toast.done(saved) } as const
  const setNumber = useWrite('setExternalTargetNumber', done)
  const setDisplay = useWrite('setIncomingCallDisplay', done)
  const chooseDisplay = (chosen: string | null): void => {
    const incomingCallDisplay = displays.find((display) => display === chosen)
    if (incomingCallDisplay) setDisplay.mutate([{ deviceId }, { incomingCallDisplay }])
  }
  return (
    <>
      <SavedText
        key={number}
        label={say.targetNumber}
        type="tel"
        maxLength={40}
        value={number}
        onSave={(typed) => setNumber.mutate([{ deviceId }, { number: typed }])}
        pending={setNumber.isPending}
        problem={setNumber.error}
      />
      <Select
        label={say.display}
        data={displays.map((display) => ({ value: display, label: say.displays[display] }))}
        value={incomingCallDisplayState}
        onChange={chooseDisplay}
        allowDeselect={false}
        disabled={setDisplay.isPending}
        error={useProblem(setDisplay.error)}
      />
    </>
  )
}

/** Dialling and display settings of a SIP phone. */
export const DiallingSettings = ({ deviceId }: { deviceId: string }) => {
  const may = useMay()
  return (
    <>
      <LocalPrefix deviceId={deviceId} />
      <SingleRow deviceId={deviceId} />
      {may('CAN_CHANGE_TARIFF_ANNOUNCEMENT') && <TariffAnnouncement deviceId={deviceId} />}
    </>
  )
}

const LocalPrefix = ({ deviceId }: { deviceId: string }) => {
  const say = useText(text)
  const { saved } = useText(accountText)
  const toast = useToast()
  const { data } = useRead('getLocalPrefix', { deviceId })
  const change = useWrite('setLocalPrefix', { refreshes: ['getLocalPrefix'], onDone: () => toast.done(saved) })
  if (!data) return null
  const { value, active } = data
  return (
    <>
      <SavedText
        key={value}
        label={say.localPrefix}
        description={say.localPrefixHint}
        inputMode="numeric"
        maxLength={10}
        value={value}
        onSave={(typed) => change.mutate([{ deviceId }, { value: typed, active: typed !== '' }])}
        pending={change.isPending}
        problem={change.error}
      />
      {value !== '' && (
        <Switch
          label={say.localPrefixOn}
          checked={active}
          disabled={change.isPending}
          onChange={(event) => change.mutate([{ deviceId }, { value, active: event.currentTarget.checked }])}
        />
      )}
    </>
  )
}

const SingleRow = ({ deviceId }: { deviceId: string }) => {
  const say = useText(text)
  const { saved } = useText(accountText)
  const toast = useToast()
  const { data } = useRead('getSingleRowDisplay', { deviceId })
  const change = useWrite('setSingleRowDisplay', { refreshes: ['getSingleRowDisplay'], onDone: () => toast.done(saved) })
  return (
    <Switch
      label={say.singleRow}
      description={say.singleRowHint}
      checked={data?.enabled ?? false}
      disabled={!data || change.isPending}
      onChange={(event) =>
        change.mutate([{ deviceId }, { enabled: event.currentTarget.checked }], { onError: (error) => toast.failed(error) })
      }
    />
  )
}

const TariffAnnouncement = ({ deviceId }: { deviceId: string }) => {
  const say = useText(text)
  const { saved } = useText(accountText)
  const toast = useToast()
  const { data } = useRead('getTariffAnnouncement', { deviceId })
  const change = useWrite('setTariffAnnouncement', { refreshes: ['getTariffAnnouncement'], onDone: () => toast.done(saved) })
  return (
    <Switch
      label={say.tariff}
      checked={data?.enabled ?? false}
      disabled={!data || change.isPending}
      onChange={(event) =>
        change.mutate([{ deviceId }, { enabled: event.currentTarget.checked }], { onError: (error) => toast.failed(error) })
      }
    />
  )
}
